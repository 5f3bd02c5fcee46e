#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "boost/policy/duration_history.h"
#include "boost/policy/moving_average.h"

namespace edgewise {

// What the requests of each route do to the loop, in ns at the low level.
class RouteHistory {
 public:
  // Routes with a slot of their own; all others share the last one.
  static constexpr size_t kRoutes = 256;
  // Before that many requests a route is taken for an average one.
  static constexpr float kEnough = 16;

  // The work of a request in the event that it began in.
  void AddFirst(uint32_t route, int64_t work_ns) {
    first_[SlotOf(route)].Add(work_ns);
    any_.Add(work_ns);
  }
  // Its work in the event that it ended in, if that is another one.
  void AddLast(uint32_t route, int64_t work_ns) {
    last_ns_[SlotOf(route)].Add(static_cast<double>(work_ns));
  }

  const DurationHistory& FirstOf(uint32_t route) const {
    const DurationHistory& own = first_[SlotOf(route)];
    return own.count() >= kEnough ? own : any_;
  }
  // 0 for a route whose requests have always ended in their first event.
  int64_t LastNsOf(uint32_t route) const {
    return static_cast<int64_t>(last_ns_[SlotOf(route)].mean());
  }
  // Of all routes.
  const DurationHistory& any() const { return any_; }

 private:
  static size_t SlotOf(uint32_t route) {
    return std::min<size_t>(route, kRoutes - 1);
  }

  std::array<DurationHistory, kRoutes> first_;
  std::array<MovingAverage<256>, kRoutes> last_ns_;
  DurationHistory any_;
};

}  // namespace edgewise
