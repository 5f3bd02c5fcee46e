#include "whatif/boosting/boosting.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "whatif/simulation/arrivals.h"
#include "whatif/simulation/simulator.h"

namespace edgewise {
namespace {

constexpr size_t kPercentileCount = kBoostPercentiles.size();

// What is kept of one replication of one candidate.
struct Replication {
  std::array<double, kPercentileCount> latency_logs{};
  double energy = 0;
  std::array<double, kLevels> shares{};
  double boosts_per_s = 0;
  double utilisation = 0;
};

absl::Status CheckBoostOptions(const BoostOptions& options) {
  if (options.replications < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "replications ", options.replications, ": at least 2 are needed"));
  }
  if (!(options.load > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("load ", options.load, " must be more than 0"));
  }
  if (!(options.warm_up >= 0 && options.warm_up < 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "warm-up ", options.warm_up, " is not from 0 to less than 1"));
  }
  for (const double speed : options.machine.speeds) {
    if (speed > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("speed ", speed, " must be more than 0"));
  }
  return absl::OkStatus();
}

double RankedLog(const std::vector<float>& sorted, double percentile) {
  if (sorted.empty()) return 0;
  const double rank =
      std::ceil(percentile / 100 * static_cast<double>(sorted.size()));
  const auto last = static_cast<double>(sorted.size() - 1);
  return std::log(sorted[static_cast<size_t>(std::clamp(rank - 1, 0.0, last))]);
}

Replication Summarised(const BoostRun& run, const Frequencies& frequencies) {
  Replication replication;
  for (size_t p = 0; p < kPercentileCount; ++p) {
    replication.latency_logs[p] =
        RankedLog(run.latencies_ns, kBoostPercentiles[p]);
  }
  replication.energy = ModelledEnergy(run.counts.residency, frequencies);
  double total_ns = 0;
  for (const int64_t ns : run.counts.residency) {
    total_ns += static_cast<double>(ns);
  }
  for (size_t i = 0; i < kLevels && total_ns > 0; ++i) {
    replication.shares[i] =
        static_cast<double>(run.counts.residency[i]) / total_ns;
  }
  replication.boosts_per_s =
      static_cast<double>(run.counts.boosts) * 1e9 / run.span_ns;
  replication.utilisation = run.utilisation;
  return replication;
}

// The mean over replications of what `of` takes of the i-th.
template <typename Of>
BoostEstimate MeanOf(size_t count, Of of) {
  constexpr double kTwoSided95 = 1.96;
  double sum = 0;
  double squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = of(i);
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  const double variance = std::max(0.0, (squares - n * mean * mean) / (n - 1));
  const double half = kTwoSided95 * std::sqrt(variance / n);
  return {mean, mean - half, mean + half};
}

BoostEstimate Exponential(const BoostEstimate& log) {
  return {std::exp(log.value), std::exp(log.low), std::exp(log.high)};
}

BoostOutcome OutcomeOf(const std::vector<Replication>& runs,
                       const std::vector<Replication>& base) {
  BoostOutcome outcome;
  for (size_t p = 0; p < kPercentileCount; ++p) {
    outcome.latency_ns[p] = Exponential(
        MeanOf(runs.size(), [&](size_t i) { return runs[i].latency_logs[p]; }));
    outcome.ratio[p] = Exponential(MeanOf(runs.size(), [&](size_t i) {
      return runs[i].latency_logs[p] - base[i].latency_logs[p];
    }));
  }
  outcome.energy =
      MeanOf(runs.size(), [&](size_t i) { return runs[i].energy; });
  const auto mean = [&](auto of) {
    return MeanOf(runs.size(), [&](size_t i) { return of(runs[i]); }).value;
  };
  for (size_t level = 0; level < kLevels; ++level) {
    outcome.shares[level] =
        mean([level](const Replication& run) { return run.shares[level]; });
  }
  outcome.boosts_per_s =
      mean([](const Replication& run) { return run.boosts_per_s; });
  outcome.utilisation =
      mean([](const Replication& run) { return run.utilisation; });
  return outcome;
}

}  // namespace

absl::StatusOr<BoostRun> SimulateBoost(const LoopModel& loop,
                                       const BoostCandidate& candidate,
                                       const BoostOptions& options,
                                       uint64_t seed, bool drawn) {
  auto policy = MakePolicy(candidate.policies, candidate.config);
  if (!policy.ok()) return policy.status();
  const Arrivals arrivals =
      ArrivalsOf(loop, drawn ? DrawnBlocks(loop, seed) : RecordedBlocks(loop),
                 options.load);
  const auto counts_from_ns = static_cast<int64_t>(
      options.warm_up * static_cast<double>(arrivals.span_ns));
  BoostedLoop boosted(*std::move(policy), options.machine, counts_from_ns,
                      seed);
  const Simulated simulated = Simulate(loop, arrivals, seed, 1, &boosted);
  BoostRun run;
  run.latencies_ns.reserve(simulated.requests.size());
  for (const SimulatedRequest& request : simulated.requests) {
    if (request.at_ns < counts_from_ns) continue;
    run.latencies_ns.push_back(request.latency_ns);
  }
  std::sort(run.latencies_ns.begin(), run.latencies_ns.end());
  run.counts = boosted.Finish(static_cast<int64_t>(simulated.span_ns));
  run.utilisation = simulated.utilisation();
  run.span_ns = simulated.span_ns - static_cast<double>(counts_from_ns);
  return run;
}

absl::StatusOr<std::vector<BoostOutcome>> CompareBoosts(
    const LoopModel& loop, const std::vector<BoostCandidate>& candidates,
    const BoostOptions& options) {
  if (absl::Status status = CheckBoostOptions(options); !status.ok()) {
    return status;
  }
  if (candidates.empty()) {
    return absl::InvalidArgumentError("no policy to compare");
  }
  for (const BoostCandidate& candidate : candidates) {
    const auto policy = MakePolicy(candidate.policies, candidate.config);
    if (!policy.ok()) return policy.status();
  }
  std::vector<std::vector<Replication>> runs(
      candidates.size(), std::vector<Replication>(options.replications));
  const size_t count = candidates.size() * options.replications;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      const size_t which = i / options.replications;
      const size_t turn = i % options.replications;
      // Cannot fail: the policy could be made before.
      const auto run = SimulateBoost(loop, candidates[which], options,
                                     options.seed + turn, /*drawn=*/true);
      runs[which][turn] = Summarised(*run, options.machine.frequencies);
    }
  };
  std::vector<std::thread> threads(
      std::max(1U, std::thread::hardware_concurrency()) - 1);
  for (std::thread& thread : threads) thread = std::thread(work);
  work();
  for (std::thread& thread : threads) thread.join();
  std::vector<BoostOutcome> outcomes;
  outcomes.reserve(runs.size());
  for (const auto& each : runs) outcomes.push_back(OutcomeOf(each, runs[0]));
  return outcomes;
}

}  // namespace edgewise
