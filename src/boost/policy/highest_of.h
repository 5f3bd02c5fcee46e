#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "boost/policy.h"

namespace edgewise {

// Wants the highest level that one of its parts wants, for the reason of the
// first that does: Combined is "gc,queue" (VEE'19 section 7.3).
class HighestOf : public Policy {
 public:
  HighestOf(std::string name, std::vector<std::unique_ptr<Policy>> parts)
      : name_(std::move(name)), parts_(std::move(parts)) {}

  std::string_view name() const override { return name_; }

  void On(const Signal& signal) override {
    for (const auto& part : parts_) part->On(signal);
  }

  Want want() const override {
    Want highest;
    for (const auto& part : parts_) {
      const Want one = part->want();
      if (one.level > highest.level) highest = one;
    }
    return highest;
  }

  int64_t next_deadline_ns() const override {
    int64_t first_ns = kNever;
    for (const auto& part : parts_) {
      first_ns = std::min(first_ns, part->next_deadline_ns());
    }
    return first_ns;
  }

  int64_t patience_ns() const override {
    int64_t least_ns = kNever;
    for (const auto& part : parts_) {
      least_ns = std::min(least_ns, part->patience_ns());
    }
    return least_ns;
  }

  bool watches_queue() const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const auto& part) { return part->watches_queue(); });
  }

 private:
  const std::string name_;
  const std::vector<std::unique_ptr<Policy>> parts_;
};

}  // namespace edgewise
