#pragma once

#include <cstdint>
#include <optional>

#include "trace/burst.h"

namespace edgewise {

// How many requests lie wholly in bursts: of the others, what is recorded in
// bursts only knows a part.
struct BurstCounts {
  struct Of {
    uint64_t requests = 0;
    uint64_t within = 0;
  };
  Of tail;
  Of rest;
  // Of the recordings; several, which differ: none is told.
  std::optional<uint64_t> config;
  bool differ = false;

  void Add(const Burst& burst, bool is_tail, int64_t begin_realtime_ns,
           int64_t end_realtime_ns) {
    if (config.has_value() && *config != burst.config()) differ = true;
    config = burst.config();
    Of& of = is_tail ? tail : rest;
    ++of.requests;
    if (burst.Holds(begin_realtime_ns, end_realtime_ns)) ++of.within;
  }
};

}  // namespace edgewise
