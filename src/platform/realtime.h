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
  uint64_t TicksAt(int64_t realtime_ns, uint64_t now);

 private:
  void Renew();

  uint64_t anchor_ticks_ = 0;
  int64_t anchor_ns_ = 0;
  int64_t set_ns_ = 0;  // the clock was set at this time of its own
  uint64_t renew_at_ticks_ = 0;
};

}  // namespace edgewise
