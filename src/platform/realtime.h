#pragma once

#include <cstdint>

namespace edgewise {

// Turns recent times of CLOCK_REALTIME, which the kernel stamps packets with,
// into ticks: by an anchor that is renewed every millisecond, so that neither
// the error of TicksPerNs() nor a slewed clock adds up. One thread only.
class RealtimeToTicks {
 public:
  // `now`: the current ticks. 0 when `realtime_ns` cannot be placed: it lies in
  // the future, or before the clock was last set.
  uint64_t TicksAt(int64_t realtime_ns, uint64_t now) {
    if (now >= renew_at_ticks_) [[unlikely]]
      Renew();
    if (realtime_ns < set_ns_) return 0;
    const auto since_anchor_ns = static_cast<double>(realtime_ns - anchor_ns_);
    const auto ticks = static_cast<int64_t>(anchor_ticks_) +
                       static_cast<int64_t>(since_anchor_ns * ticks_per_ns_);
    if (ticks <= static_cast<int64_t>(now)) [[likely]] {
      return ticks > 0 ? static_cast<uint64_t>(ticks) : 0;
    }
    return ticks - static_cast<int64_t>(now) <= tolerance_ticks_ ? now : 0;
  }

 private:
  void Renew();

  // TicksPerNs(), once it was asked: it has its value in a place of its own.
  double ticks_per_ns_ = 0;
  int64_t tolerance_ticks_ = 0;

  uint64_t anchor_ticks_ = 0;
  int64_t anchor_ns_ = 0;
  int64_t set_ns_ = 0;  // the clock was set at this time of its own
  uint64_t renew_at_ticks_ = 0;
};

}  // namespace edgewise
