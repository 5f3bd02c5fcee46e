#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "boost/energy.h"
#include "boost/level.h"

namespace edgewise {

// Of all time, what a processor at each level lacks against one at the highest:
// 1 - f/f_high.
using Shares = std::array<double, kLevels>;

// Which emulated frequency holds when. A level that is asked for takes effect a
// delay later; until then another request replaces it, and one for the level
// that holds withdraws it. Pure, and trivially copyable: processes share one.
class FrequencyTimeline {
 public:
  static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::max();

  FrequencyTimeline() = default;
  FrequencyTimeline(int64_t delay_ns, int64_t now_ns)
      : delay_ns_(delay_ns), since_ns_(now_ns) {}

  // Times never go back; an earlier one counts as the last.
  void Ask(Level level, int64_t now_ns) {
    now_ns = std::max(now_ns, since_ns_);
    Settle(now_ns);
    if (level == holds_) {
      switch_ns_ = kNoTime;
    } else if (switch_ns_ == kNoTime || next_ != level) {
      next_ = level;
      switch_ns_ = now_ns + delay_ns_;
      Settle(now_ns);
    }
  }

  Level At(int64_t now_ns) const {
    return now_ns < switch_ns_ ? holds_ : next_;
  }

  // When the level that was asked for takes effect; kNoTime: it holds.
  int64_t switch_ns() const { return switch_ns_; }

  // Time at each level since the beginning, ns.
  Residency ResidencyAt(int64_t now_ns) const {
    FrequencyTimeline then = *this;
    then.Settle(now_ns);
    Residency spent = then.spent_ns_;
    spent[Index(then.holds_)] += std::max(now_ns - then.since_ns_, int64_t{0});
    return spent;
  }

  // What a thief must have stolen by now, ns.
  double DueNs(const Shares& shares, int64_t now_ns) const {
    const Residency spent = ResidencyAt(now_ns);
    double due_ns = 0;
    for (size_t i = 0; i < kLevels; ++i) {
      due_ns += shares[i] * static_cast<double>(spent[i]);
    }
    return due_ns;
  }

 private:
  static size_t Index(Level level) { return static_cast<size_t>(level); }

  // The switch that was due is made, at its own time.
  void Settle(int64_t now_ns) {
    if (now_ns < switch_ns_) return;
    spent_ns_[Index(holds_)] += switch_ns_ - since_ns_;
    since_ns_ = switch_ns_;
    holds_ = next_;
    switch_ns_ = kNoTime;
  }

  Residency spent_ns_{};  // until since_ns_
  int64_t delay_ns_ = 0;
  int64_t since_ns_ = 0;
  int64_t switch_ns_ = kNoTime;
  Level holds_ = Level::kLow;
  Level next_ = Level::kLow;
};

}  // namespace edgewise
