#pragma once

#include <cstdint>

namespace edgewise {

class EventTracker;

// A virtual machine that numbers slices itself: a continuation that another
// slice registered takes the next number and is written down by the machine,
// without a call. The tracker takes what was written before it writes anything
// of its own, so that both count alike. Loop thread only.
class VmEvents {
 public:
  virtual ~VmEvents() = default;

  // Hands everything that was noticed since the last call to `tracker`'s
  // FromVm functions, in order of time.
  virtual void Take(EventTracker* tracker) = 0;

  // Slice `running` (0: none that anything may belong to) runs now, and the
  // next one takes the number `next`; both of EventTracker::VmNumber().
  virtual void Publish(uint32_t running, uint32_t next) = 0;
};

}  // namespace edgewise
