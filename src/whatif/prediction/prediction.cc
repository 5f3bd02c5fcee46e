#include "whatif/prediction/prediction.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#include "whatif/simulation/arrivals.h"
#include "whatif/simulation/simulator.h"

namespace edgewise {
namespace {

constexpr uint32_t kAll = UINT32_MAX;
constexpr double kTail = 0.05;  // on each side of an interval
// By percentile: which share of a change, as a logarithm, predictions missed in
// nine of ten cases, of two applications at other loads
// (docs/whatif-accuracy.md).
constexpr std::array<double, kPercentiles.size()> kMissedShare = {0.3, 0.4, 0.8,
                                                                  0.8};
// Two runs of the same differ by so much besides.
constexpr double kRunNoise = 0.03;
constexpr double kNearSaturation = 0.9;  // where the capacity is looked for

// Of sorted values; NaN of none.
double PercentileOf(const std::vector<float>& sorted, double percentile) {
  if (sorted.empty()) return std::nan("");
  const double rank =
      std::ceil(percentile / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(
      std::clamp(rank - 1, 0.0, static_cast<double>(sorted.size() - 1)))];
}

// The middle of some values, and where 90 % of them lie.
Estimate EstimateOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto low = static_cast<size_t>(place);
    const size_t high = std::min(low + 1, values.size() - 1);
    return values[low] +
           (values[high] - values[low]) * (place - static_cast<double>(low));
  };
  return {at(0.5), at(kTail), at(1 - kTail)};
}

// Calls each(i) for i < count, on as many threads as there are processors.
template <typename Each>
void ForEachOnThreads(size_t count, Each each) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) each(i);
  };
  std::vector<std::thread> threads;
  const size_t wanted = std::min<size_t>(
      count, std::max(1U, std::thread::hardware_concurrency()));
  for (size_t i = 1; i < wanted; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

void Predictor::Latencies::Sort() {
  std::sort(all.begin(), all.end());
  for (std::vector<float>& route : routes)
    std::sort(route.begin(), route.end());
}

Predictor::Predictor(const std::vector<LoopModel>* loops,
                     const ModelNames& names, const Options& options)
    : loops_(loops), names_(names), options_(options) {
  recorded_.routes.resize(names.routes->size());
  for (const LoopModel& loop : *loops) {
    for (const ModelRequest& request : loop.requests) {
      const auto ns = static_cast<float>(request.latency_ns);
      recorded_.all.push_back(ns);
      recorded_.routes[request.route].push_back(ns);
    }
  }
  recorded_.Sort();
  part_ = std::min(
      1.0, static_cast<double>(options.most_requests) /
               static_cast<double>(std::max<size_t>(1, recorded_.all.size())));
  std::vector<ChangedLoop> unchanged;
  for (const LoopModel& loop : *loops) unchanged.push_back({loop});
  base_ = Run(unchanged);
  base_capacity_ = CapacityOf(unchanged);
  base_alone_ = AloneOf(unchanged, base_capacity_);
}

Predictor::Changed Predictor::Run(const std::vector<ChangedLoop>& loops) const {
  Changed changed;
  changed.drawn.resize(options_.replications);
  ForEachOnThreads(changed.drawn.size(), [&](size_t i) {
    changed.drawn[i] = Replicate(loops, options_.seed + i, /*drawn=*/true);
  });
  changed.as_recorded = Replicate(loops, options_.seed, /*drawn=*/false);
  std::vector<ChangedLoop> slower = loops;
  for (ChangedLoop& loop : slower) SlowDown(1 + kDemandNoise, &loop.model);
  changed.slower = Replicate(slower, options_.seed, /*drawn=*/false);
  return changed;
}

Predictor::Latencies Predictor::Replicate(const std::vector<ChangedLoop>& loops,
                                          uint64_t seed, bool drawn) const {
  Latencies latencies;
  latencies.routes.resize(names_.routes->size());
  const AnalysisProgress* const progress = options_.progress;
  if (progress != nullptr && progress->cancelled()) return latencies;
  for (const ChangedLoop& loop : loops) {
    const std::vector<ArrivalBlock> blocks =
        drawn ? DrawnBlocks(loop.model, seed, part_)
              : RecordedBlocks(loop.model);
    for (uint32_t worker = 0; worker < loop.workers; ++worker) {
      const Simulated simulated = Simulate(
          loop.model,
          ArrivalsOf(loop.model, blocks, loop.load, loop.workers, worker), seed,
          loop.offload_threads);
      latencies.utilisation =
          std::max(latencies.utilisation, simulated.utilisation());
      latencies.line_utilisation =
          std::max(latencies.line_utilisation, simulated.line_utilisation());
      for (const SimulatedRequest& request : simulated.requests) {
        latencies.all.push_back(request.latency_ns);
        latencies.routes[request.route].push_back(request.latency_ns);
      }
    }
  }
  latencies.Sort();
  return latencies;
}

// Requests a second that all loops could answer: where they, or a line, are
// nearly busy all the time, what an answered request keeps them busy for.
double Predictor::CapacityOf(const std::vector<ChangedLoop>& loops) const {
  double capacity = 0;
  for (const ChangedLoop& loop : loops) {
    double load = loop.load;
    for (int tries = 0; tries < 3; ++tries) {
      const Simulated simulated =
          Simulate(loop.model,
                   ArrivalsOf(loop.model, RecordedBlocks(loop.model), load,
                              loop.workers, 0),
                   options_.seed, loop.offload_threads);
      if (simulated.busy_ns <= 0 || simulated.requests.empty()) break;
      const double seconds =
          std::max(simulated.busy_ns, simulated.line_busy_ns) / 1e9;
      const double busy =
          std::max(simulated.utilisation(), simulated.line_utilisation());
      const double answered = static_cast<double>(simulated.requests.size());
      if (tries == 2) capacity += loop.workers * answered / seconds;
      load *= kNearSaturation / std::min(1.0, busy);
    }
  }
  return capacity;
}

double Predictor::AloneOf(const std::vector<ChangedLoop>& loops,
                          double capacity) const {
  const bool displaced = std::any_of(
      loops.begin(), loops.end(),
      [](const ChangedLoop& loop) { return !loop.model.displaced.empty(); });
  if (!displaced) return capacity;
  std::vector<ChangedLoop> alone = loops;
  for (ChangedLoop& loop : alone) loop.model.displaced.clear();
  return CapacityOf(alone);
}

void Predictor::Compare(const Changed& after, uint32_t route,
                        RouteChange* change) const {
  const auto of =
      [route](const Latencies& latencies) -> const std::vector<float>& {
    return route == kAll ? latencies.all : latencies.routes[route];
  };
  change->requests = of(recorded_).size();
  for (size_t p = 0; p < kPercentiles.size(); ++p) {
    const auto log_of = [&](const Latencies& latencies) {
      return std::log(PercentileOf(of(latencies), kPercentiles[p]));
    };
    PercentileChange& percentile = change->percentiles[p];
    percentile.recorded_ns = PercentileOf(of(recorded_), kPercentiles[p]);
    percentile.simulated_ns =
        PercentileOf(of(base_.as_recorded), kPercentiles[p]);
    std::vector<double> gains;
    std::vector<double> before_logs;
    std::vector<double> after_logs;
    for (size_t i = 0; i < after.drawn.size(); ++i) {
      const double one = log_of(base_.drawn[i]);
      const double other = log_of(after.drawn[i]);
      if (!std::isfinite(one) || !std::isfinite(other)) continue;
      gains.push_back(other - one);
      before_logs.push_back(one);
      after_logs.push_back(other);
    }
    if (gains.empty()) continue;
    const double direct = log_of(after.as_recorded) - log_of(base_.as_recorded);
    const Estimate gain = EstimateOf(std::move(gains));
    const Estimate before = EstimateOf(std::move(before_logs));
    const Estimate later = EstimateOf(std::move(after_logs));
    // What the model says of the recording and what was recorded differ: a
    // change is as unsure in proportion.
    const double gap =
        std::abs(std::log(percentile.simulated_ns / percentile.recorded_ns));
    const double middle = std::isfinite(direct) ? direct : gain.value;
    // Demands differ from run to run: little where the loop is idle, much where
    // it is nearly busy.
    const double noise_before =
        log_of(base_.slower) - log_of(base_.as_recorded);
    const double noise_after = log_of(after.slower) - log_of(after.as_recorded);
    const double unsure = std::hypot(gap * std::min(1.0, std::abs(middle)) +
                                         std::abs(noise_after - noise_before),
                                     kMissedShare[p] * std::abs(middle));
    const double low = middle - std::hypot(gain.value - gain.low, unsure);
    const double high = middle + std::hypot(gain.high - gain.value, unsure);
    percentile.gain = {std::expm1(middle), std::expm1(low), std::expm1(high)};
    // Another run has other arrivals and demands, as this one had.
    const double noise = std::hypot(std::hypot(noise_before, noise_after),
                                    std::hypot(unsure, gap), kRunNoise);
    const double down =
        std::hypot(before.high - before.value, later.value - later.low, noise);
    const double up =
        std::hypot(before.value - before.low, later.high - later.value, noise);
    const double value = std::log(percentile.recorded_ns) + middle;
    percentile.after_ns = {std::exp(value), std::exp(value - down),
                           std::exp(value + up)};
  }
}

absl::StatusOr<Prediction> Predictor::Predict(
    const std::vector<Change>& changes, bool by_route) const {
  Prediction prediction;
  std::vector<ChangedLoop> changed;
  size_t missing = 0;  // loops that have nothing to change: another may
  for (const LoopModel& loop : *loops_) {
    auto one = ApplyChanges(loop, changes, names_, &prediction.assumed);
    if (!one.ok() &&
        (!absl::IsNotFound(one.status()) || ++missing == loops_->size())) {
      return one.status();
    }
    changed.push_back(one.ok() ? *std::move(one) : ChangedLoop{loop});
  }
  const bool unchanged = changes.empty();
  const Changed ran = unchanged ? Changed{} : Run(changed);
  const Changed& after = unchanged ? base_ : ran;
  prediction.utilisation_before = base_.as_recorded.utilisation;
  prediction.utilisation_after = after.as_recorded.utilisation;
  prediction.line_after = after.as_recorded.line_utilisation;
  prediction.capacity_before = base_capacity_;
  prediction.capacity_after = unchanged ? base_capacity_ : CapacityOf(changed);
  prediction.alone_before = base_alone_;
  prediction.alone_after =
      unchanged ? base_alone_ : AloneOf(changed, prediction.capacity_after);
  prediction.routes.emplace_back();
  Compare(after, kAll, &prediction.routes.back());
  for (uint32_t route = 0; by_route && route < names_.routes->size(); ++route) {
    if (recorded_.routes[route].empty()) continue;
    prediction.routes.push_back({route, 0, {}});
    Compare(after, route, &prediction.routes.back());
  }
  return prediction;
}

}  // namespace edgewise
