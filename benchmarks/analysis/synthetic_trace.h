#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace edgewise {

// A server's trace of any length, as a recorder would write it: requests arrive
// at random, do some I/O, timers and awaits, and end; now and then the
// loop collects garbage, or runs something that belongs to nobody.
struct SyntheticTraceOptions {
  uint64_t events = 1'000'000;
  uint32_t open_requests = 30;     // on average
  double events_per_request = 10;  // on average, geometric
  double slices_per_event = 0.3;   // continuations, on average
  uint64_t events_per_gc = 500;
  double ticks_per_ns = 2.5;
  uint32_t seed = 1;
};

struct SyntheticTraceCounts {
  uint64_t events = 0;
  uint64_t records = 0;
  uint64_t requests = 0;  // ended
  uint64_t bytes = 0;
};

// Writes one trace file to `path`, in constant memory.
absl::Status WriteSyntheticTrace(const std::string& path,
                                 const SyntheticTraceOptions& options,
                                 SyntheticTraceCounts* counts);

}  // namespace edgewise
