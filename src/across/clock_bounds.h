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
// asked, nor after its answer was read.
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
    // Otherwise a clock was set meanwhile.
    bool hold() const { return least_ns <= most_ns; }
  };

  // `unix_ns` and `served_unix_ns`: CLOCK_REALTIME is so much more than the
  // times of both.
  void Add(const JoinedCall& joined, int64_t unix_ns, int64_t served_unix_ns) {
    const CalledRow& call = *joined.call;
    const ServedRow& served = *joined.served;
    if (call.clock == served.clock) return;
    Bounds& bounds =
        bounds_[{call.service, served.service, call.clock, served.clock}];
    const int64_t there_ns = served.ready_ns + served_unix_ns - unix_ns;
    bounds.least_ns = std::max(bounds.least_ns, there_ns - call.read_ns);
    bounds.most_ns = std::min(bounds.most_ns, there_ns - call.asked_ns);
  }

  const std::map<Key, Bounds>& bounds() const { return bounds_; }

 private:
  std::map<Key, Bounds> bounds_;
};

}  // namespace edgewise
