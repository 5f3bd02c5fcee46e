#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

#include "across/joining.h"

namespace edgewise {

// How far CLOCK_REALTIME of one service's machine is ahead of that of another
// which calls it, as far as the calls tell: no request is there before it was
// asked, nor after its answer was read. By minute, since clocks drift.
class ClockBounds {
 public:
  struct Key {
    uint16_t from;  // the caller's service
    uint16_t to;
    uint16_t from_clock;
    uint16_t to_clock;
    bool operator<(const Key& other) const {
      return std::tie(from, to, from_clock, to_clock) <
             std::tie(other.from, other.to, other.from_clock, other.to_clock);
    }
  };
  struct Bounds {
    int64_t least_ns = std::numeric_limits<int64_t>::min();
    int64_t most_ns = std::numeric_limits<int64_t>::max();
    // Otherwise a clock was set meanwhile, or drifts.
    bool hold() const { return least_ns <= most_ns; }
    void Narrow(const Bounds& other) {
      least_ns = std::max(least_ns, other.least_ns);
      most_ns = std::min(most_ns, other.most_ns);
    }
  };
  static constexpr int64_t kMinuteNs = 60'000'000'000;
  // By minute of the caller's CLOCK_REALTIME, since 1970.
  using Minutes = std::map<int64_t, Bounds>;

  // `unix_ns` and `served_unix_ns`: CLOCK_REALTIME is so much more than the
  // times of both.
  void Add(const JoinedCall& joined, int64_t unix_ns, int64_t served_unix_ns) {
    const CalledRow& call = *joined.call;
    const ServedRow& served = *joined.served;
    if (call.clock == served.clock) return;
    const int64_t there_ns = served.ready_ns + served_unix_ns - unix_ns;
    bounds_[{call.service, served.service, call.clock, served.clock}]
           [(call.asked_ns + unix_ns) / kMinuteNs]
               .Narrow({there_ns - call.read_ns, there_ns - call.asked_ns});
  }

  const std::map<Key, Minutes>& bounds() const { return bounds_; }
  // Of the whole time.
  static Bounds Whole(const Minutes& minutes) {
    Bounds whole;
    for (const auto& [minute, bounds] : minutes) whole.Narrow(bounds);
    return whole;
  }

 private:
  std::map<Key, Minutes> bounds_;
};

}  // namespace edgewise
