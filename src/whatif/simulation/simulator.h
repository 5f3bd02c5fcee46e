#pragma once

#include <cstdint>
#include <vector>

#include "whatif/model/model.h"
#include "whatif/simulation/arrivals.h"
#include "whatif/simulation/pace.h"

namespace edgewise {

struct SimulatedRequest {
  uint32_t route;
  float latency_ns;
  int64_t at_ns;  // it came
};

struct Simulated {
  std::vector<SimulatedRequest> requests;  // in the order of their ends
  double busy_ns = 0;                      // of the loop
  double line_busy_ns = 0;                 // of the busiest of its lines
  double span_ns = 0;
  uint64_t jobs = 0;

  double utilisation() const { return span_ns > 0 ? busy_ns / span_ns : 0; }
  double line_utilisation() const {
    return span_ns > 0 ? line_busy_ns / span_ns : 0;
  }
};

// Runs a loop on a virtual clock: it polls for what is ready, runs that in the
// order of readiness, a shared connection's all at once, accepts one connection
// in a turn, and sleeps when nothing is ready; `offload_threads` run what was
// moved off it. Equal seeds give equal runs. `pace`: what makes it faster or
// slower than recorded; null: nothing.
Simulated Simulate(const LoopModel& model, const Arrivals& arrivals,
                   uint64_t seed, uint32_t offload_threads = 1,
                   Pace* pace = nullptr);

}  // namespace edgewise
