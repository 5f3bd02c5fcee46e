#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "boost/policy.h"
#include "boost/policy/moving_average.h"

namespace edgewise {

// GC-Boost (VEE'19 section 6.1): high while a collection runs. A kind of
// collection that is expected to be shorter than two transitions is boosted
// only once it has lasted that long.
class GcBoost : public Policy {
 public:
  explicit GcBoost(const PolicyConfig& config);

  std::string_view name() const override { return "gc"; }
  void On(const Signal& signal) override;
  Want want() const override {
    return boosted_ ? Want{Level::kHigh, Reason::kGc} : Want{};
  }
  int64_t next_deadline_ns() const override { return deadline_ns_; }
  int64_t patience_ns() const override { return kNever; }

 private:
  // V8's kinds are single bits: the slot is the bit's number. The last slot is
  // for a kind that has none of them.
  static constexpr size_t kKinds = 8;

  // Kinds change their duration with the heap, over tens of collections.
  using Duration = MovingAverage<16>;

  void Begin(const Signal& signal);
  void End(int64_t now_ns);
  void BoostAt(int64_t now_ns);

  const int64_t transition_ns_;
  const int64_t worth_ns_;  // two transitions
  const double speed_;      // of high, relative to low
  std::array<Duration, kKinds> duration_ns_;
  size_t kind_ = 0;
  uint32_t depth_ = 0;
  bool boosted_ = false;
  int64_t begin_ns_ = 0;
  int64_t boosted_ns_ = 0;
  int64_t deadline_ns_ = kNever;
};

}  // namespace edgewise
