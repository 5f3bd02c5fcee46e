#include "platform/realtime.h"

#include <cmath>

#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr double kRenewNs = 1e6;
// A clock that is off by more was set, not slewed: beside the error of
// TicksPerNs(), and what may lie between two reads of the clocks.
constexpr double kSetNs = 1e6;
constexpr double kDrift = 1e-3;
// Two clocks are never read at once.
constexpr int64_t kToleranceNs = 10'000;

}  // namespace

void RealtimeToTicks::Renew() {
  const ClockTriple clocks = ReadClocks();
  if (anchor_ticks_ != 0) {
    const double passed_ns =
        static_cast<double>(clocks.ticks - anchor_ticks_) / TicksPerNs();
    const double shown_ns =
        static_cast<double>(clocks.realtime_ns - anchor_ns_);
    if (std::abs(shown_ns - passed_ns) > kSetNs + kDrift * passed_ns) {
      set_ns_ = clocks.realtime_ns;
    }
  }
  ticks_per_ns_ = TicksPerNs();
  tolerance_ticks_ = static_cast<int64_t>(NsToTicks(kToleranceNs));
  anchor_ticks_ = clocks.ticks;
  anchor_ns_ = clocks.realtime_ns;
  renew_at_ticks_ = clocks.ticks + NsToTicks(kRenewNs);
}

}  // namespace edgewise
