#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "whatif/model/model.h"
#include "whatif/simulation/arrivals.h"
#include "whatif/simulation/simulator.h"

namespace edgewise {

// A job that runs so long for its request, and ends it.
inline Job Only(float own_ns) {
  Job job;
  job.own_ns = own_ns;
  job.end_ns = own_ns;
  return job;
}

// A job that runs when its parent's question is answered, `io_ns` after it.
inline Job After(uint32_t parent, float io_ns, float own_ns) {
  Job job;
  job.parent = parent;
  job.io_ns = job.io_most_ns = io_ns;
  job.own_ns = own_ns;
  return job;
}

inline void Add(LoopModel* model, int64_t ready_ns,
                std::initializer_list<Job> jobs, bool fresh = false) {
  const auto first = static_cast<uint32_t>(model->jobs.size());
  model->jobs.insert(model->jobs.end(), jobs);
  model->requests.push_back(
      {ready_ns, 0, 0, first, static_cast<uint32_t>(jobs.size()), fresh});
  model->end_ns = std::max(model->end_ns, ready_ns);
}

// Latencies, in the order of their ends.
inline std::vector<float> LatenciesOf(const LoopModel& model,
                                      uint32_t offload_threads = 1) {
  const Simulated simulated = Simulate(
      model, ArrivalsOf(model, RecordedBlocks(model), 1), 1, offload_threads);
  std::vector<float> latencies;
  for (const SimulatedRequest& request : simulated.requests) {
    latencies.push_back(request.latency_ns);
  }
  return latencies;
}

}  // namespace edgewise
