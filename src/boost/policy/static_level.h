#pragma once

#include <string_view>

#include "boost/policy.h"

namespace edgewise {

// One level, always: the bounds between which the others lie (VEE'19 figure 7).
class StaticLevel : public Policy {
 public:
  explicit StaticLevel(Level level) : level_(level) {}

  std::string_view name() const override { return NameOf(level_); }
  void On(const Signal& /*signal*/) override {}
  Want want() const override {
    return {level_, level_ == Level::kLow ? Reason::kNone : Reason::kStatic};
  }
  int64_t patience_ns() const override { return kNever; }

 private:
  const Level level_;
};

}  // namespace edgewise
