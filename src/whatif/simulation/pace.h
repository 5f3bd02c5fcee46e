#pragma once

#include <cstdint>
#include <vector>

#include "trace/record.h"

namespace edgewise {

// What is ready for a loop and has not begun.
class ReadyEvents {
 public:
  virtual ~ReadyEvents() = default;
  // When the next one comes that has not been counted; INT64_MAX: never.
  virtual int64_t NextNs() const = 0;
  // How many there are then; times do not go back.
  virtual uint32_t CountAt(int64_t now_ns) = 0;
};

// From there on the loop runs at that speed; as recorded: 1.
struct Leg {
  double run_ns;  // since its run began
  int64_t at_ns;
  double speed;
};

// Watches a simulated loop, and says how fast it runs. Times are those of the
// virtual clock and do not go back.
class Pace {
 public:
  virtual ~Pace() = default;

  // The loop begins; `ready` outlives it.
  virtual void Begin(ReadyEvents* ready) = 0;
  virtual void LoopIdle(int64_t now_ns) = 0;
  // Its wait is over; `slept`: it had to wait for these events.
  virtual void LoopBusy(int64_t now_ns, uint32_t events, bool slept) = 0;
  virtual void EventBegin(int64_t now_ns) = 0;
  virtual void RequestBegin(int64_t now_ns, uint32_t request,
                            uint32_t route) = 0;
  virtual void RequestEnd(int64_t now_ns, uint32_t request) = 0;
  virtual void CollectionBegin(int64_t now_ns, GcType type) = 0;
  virtual void CollectionEnd(int64_t now_ns) = 0;
  // Runs what took so long as it was recorded; returns when it is over. Adds
  // how fast it went to `legs`, of which the first is at `before_ns`.
  virtual int64_t Run(int64_t now_ns, double run_ns, double before_ns,
                      std::vector<Leg>* legs) = 0;
  // The loop's thread does not run for so long; returns when it does again.
  virtual int64_t Stop(int64_t now_ns, int64_t ns) = 0;
};

}  // namespace edgewise
