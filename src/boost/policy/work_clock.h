#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "boost/level.h"

namespace edgewise {

// How fast each level works, relative to the low one. All 1 when a frequency is
// not known: then durations are taken as they are.
inline std::array<double, kLevels> SpeedsOf(const Frequencies& frequencies) {
  std::array<double, kLevels> speeds{1, 1, 1};
  for (const uint32_t khz : frequencies) {
    if (khz == 0) return speeds;
  }
  for (size_t i = 0; i < kLevels; ++i) {
    speeds[i] = static_cast<double>(frequencies[i]) / frequencies[0];
  }
  return speeds;
}

// Counts what is done in ns at the low level, so that durations seen while
// boosted compare with the others. It takes the level that its policy asks for
// to hold `transition_ns` later; what other policies ask for it does not see.
class WorkClock {
 public:
  WorkClock(const Frequencies& frequencies, int64_t transition_ns)
      : speeds_(SpeedsOf(frequencies)), transition_ns_(transition_ns) {}

  // To `now_ns`; `busy`: whether the loop has worked since the last call.
  void Advance(int64_t now_ns, bool busy) {
    if (asked_ != held_ && now_ns >= change_ns_) {
      AdvanceAtOneLevel(std::max(change_ns_, now_ns_), busy);
      held_ = asked_;
    }
    AdvanceAtOneLevel(now_ns, busy);
  }

  // The policy asks for `level` now.
  void Ask(Level level) {
    if (level == asked_) return;
    asked_ = level;
    change_ns_ = now_ns_ + transition_ns_;
  }

  int64_t now_ns() const { return now_ns_; }
  int64_t work_ns() const { return static_cast<int64_t>(work_ns_); }
  double speed(Level level) const {
    return speeds_[static_cast<size_t>(level)];
  }

  // How much later all that is done now would have been done without any
  // boost: what boosting has gained since then the loop was last idle long
  // enough for the slower one to catch up. A request that ends now would have
  // taken so much longer (exact for one queue served in order).
  int64_t lag_ns() const { return static_cast<int64_t>(lag_ns_); }

 private:
  void AdvanceAtOneLevel(int64_t now_ns, bool busy) {
    const double elapsed_ns = static_cast<double>(now_ns - now_ns_);
    now_ns_ = now_ns;
    if (busy) {
      const double speed = speeds_[static_cast<size_t>(held_)];
      work_ns_ += elapsed_ns * speed;
      lag_ns_ += elapsed_ns * (speed - 1);
    } else {
      lag_ns_ = std::max(0.0, lag_ns_ - elapsed_ns);
    }
  }

  const std::array<double, kLevels> speeds_;
  const int64_t transition_ns_;
  int64_t now_ns_ = 0;
  int64_t change_ns_ = 0;  // when asked_ holds
  double work_ns_ = 0;
  double lag_ns_ = 0;
  Level asked_ = Level::kLow;
  Level held_ = Level::kLow;
};

}  // namespace edgewise
