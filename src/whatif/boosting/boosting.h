#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/policy.h"
#include "whatif/boosting/boosted_loop.h"
#include "whatif/model/model.h"

// What policies of boosting do to a recorded loop: its arrivals and its work
// run again, and the policies that run in servers choose how fast.

namespace edgewise {

inline constexpr std::array<double, 3> kBoostPercentiles = {50, 99, 99.9};

struct BoostCandidate {
  std::string policies;  // as MakePolicy() takes them
  PolicyConfig config;
};

// A mean over replications, with its 95 % interval.
struct BoostEstimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct BoostOutcome {
  std::array<BoostEstimate, kBoostPercentiles.size()> latency_ns;
  // Of the first candidate's, in the same replications.
  std::array<BoostEstimate, kBoostPercentiles.size()> ratio;
  BoostEstimate energy;  // modelled, relative to all of the time at low
  std::array<double, kLevels> shares{};  // of the time
  double boosts_per_s = 0;
  double utilisation = 0;
};

struct BoostOptions {
  BoostMachine machine;
  uint32_t replications = 40;
  uint64_t seed = 1;
  double load = 1;       // so many times as many requests
  double warm_up = 0.2;  // of a replication, that counts nowhere
};

// What one run of arrivals shows.
struct BoostRun {
  std::vector<float> latencies_ns;  // ascending, without the warm-up's
  BoostCounts counts;
  double utilisation = 0;
  double span_ns = 0;  // that counts
};

// InvalidArgument as MakePolicy() says. `drawn`: of blocks drawn from the
// recording; else the recording as it was.
absl::StatusOr<BoostRun> SimulateBoost(const LoopModel& loop,
                                       const BoostCandidate& candidate,
                                       const BoostOptions& options,
                                       uint64_t seed, bool drawn);

// All candidates over the same replications. InvalidArgument: an option
// outside its range, no candidate, or as MakePolicy() says.
absl::StatusOr<std::vector<BoostOutcome>> CompareBoosts(
    const LoopModel& loop, const std::vector<BoostCandidate>& candidates,
    const BoostOptions& options);

}  // namespace edgewise
