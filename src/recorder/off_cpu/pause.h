#pragma once

#include <cstdint>

namespace edgewise {

// For as long as this a thread is off its processor. CLOCK_MONOTONIC, ns.
struct Pause {
  int64_t out_ns;
  int64_t in_ns;
  bool preempted;            // it did not sleep
  bool fault;                // it slept for a page
  int64_t waited_ns = 0;     // at its end, for a processor
  int64_t throttled_ns = 0;  // of that, or of all if it was preempted

  // It could have run.
  int64_t unserved_ns() const { return preempted ? in_ns - out_ns : waited_ns; }
};

}  // namespace edgewise
