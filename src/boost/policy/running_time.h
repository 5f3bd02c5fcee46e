#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "boost/policy.h"

namespace edgewise {

// Gives a policy its loop's own time, which stands still while the loop's
// thread does not run within an event: no frequency helps a thread that was
// displaced, stopped by a quota or asleep in the kernel, and its event is not
// one that takes long. Such a pause is told when it is over (kNotRun): what the
// controller's thread says meanwhile is of a later time than what follows.
class RunningTime : public Policy {
 public:
  explicit RunningTime(std::unique_ptr<Policy> policy)
      : policy_(std::move(policy)) {}

  std::string_view name() const override { return policy_->name(); }
  void On(const Signal& signal) override;
  Want want() const override { return policy_->want(); }
  int64_t next_deadline_ns() const override {
    const int64_t deadline_ns = policy_->next_deadline_ns();
    return deadline_ns == kNever ? kNever : deadline_ns + off_ns_;
  }
  int64_t patience_ns() const override { return policy_->patience_ns(); }
  bool watches_queue() const override { return policy_->watches_queue(); }

 private:
  // What arrived before so many pauses is taken to have arrived after them.
  static constexpr size_t kPauses = 16;
  struct Pause {
    int64_t end_ns = 0;
    int64_t before_ns = 0;  // of off_ns_
  };

  int64_t At(int64_t ns) const;

  const std::unique_ptr<Policy> policy_;
  int64_t off_ns_ = 0;
  std::array<Pause, kPauses> pauses_{};  // a ring
  size_t next_ = 0;
};

}  // namespace edgewise
