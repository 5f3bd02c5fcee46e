#include "whatif/prediction/prediction.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "whatif/simulation/arrivals.h"
#include "whatif/simulation/simulator.h"

namespace edgewise {
namespace {

constexpr uint32_t kAll = UINT32_MAX;
constexpr double kTail = 0.05;           // on each side of an interval
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
    base_plans_.push_back({&loop});
    requests_ += loop.requests.size();
    for (const ModelRequest& request : loop.requests) {
      const auto ns = static_cast<float>(request.latency_ns);
      recorded_.all.push_back(ns);
      recorded_.routes[request.route].push_back(ns);
    }
  }
  recorded_.Sort();
  part_ =
      std::min(1.0, static_cast<double>(options.most_requests) /
                        static_cast<double>(std::max<uint64_t>(1, requests_)));
  reproduced_ = Replicate(base_plans_, options.seed, /*drawn=*/false);
  base_.resize(options.replications);
  ForEachOnThreads(base_.size(), [&](size_t i) {
    base_[i] = Replicate(base_plans_, options_.seed + i, /*drawn=*/true);
  });
  base_capacity_ = CapacityOf(base_plans_);
}

Predictor::Latencies Predictor::Replicate(const std::vector<Plan>& plans,
                                          uint64_t seed, bool drawn) const {
  Latencies latencies;
  latencies.routes.resize(names_.routes->size());
  const AnalysisProgress* const progress = options_.progress;
  if (progress != nullptr && progress->cancelled()) return latencies;
  for (const Plan& plan : plans) {
    const std::vector<ArrivalBlock> blocks =
        drawn ? DrawnBlocks(*plan.model, seed, part_)
              : RecordedBlocks(*plan.model);
    for (uint32_t worker = 0; worker < plan.workers; ++worker) {
      const Simulated simulated = Simulate(
          *plan.model,
          ArrivalsOf(*plan.model, blocks, plan.load, plan.workers, worker),
          seed, plan.offload_threads);
      latencies.utilisation =
          std::max(latencies.utilisation, simulated.utilisation());
      for (const SimulatedRequest& request : simulated.requests) {
        latencies.all.push_back(request.latency_ns);
        latencies.routes[request.route].push_back(request.latency_ns);
      }
    }
  }
  latencies.Sort();
  return latencies;
}

// Requests a second that all loops could answer: where they are nearly busy all
// the time, what an answered request keeps them busy for.
double Predictor::CapacityOf(const std::vector<Plan>& plans) const {
  double capacity = 0;
  for (const Plan& plan : plans) {
    double load = plan.load;
    for (int tries = 0; tries < 3; ++tries) {
      const Simulated simulated =
          Simulate(*plan.model,
                   ArrivalsOf(*plan.model, RecordedBlocks(*plan.model), load,
                              plan.workers, 0),
                   options_.seed, plan.offload_threads);
      if (simulated.busy_ns <= 0 || simulated.requests.empty()) break;
      const double seconds = simulated.busy_ns / 1e9;
      const double answered = static_cast<double>(simulated.requests.size());
      if (tries == 2) capacity += plan.workers * answered / seconds;
      load *= kNearSaturation / std::min(1.0, simulated.utilisation());
    }
  }
  return capacity;
}

void Predictor::Compare(const std::vector<Latencies>& after, uint32_t route,
                        const Latencies& after_recorded,
                        RouteChange* change) const {
  const auto of =
      [route](const Latencies& latencies) -> const std::vector<float>& {
    return route == kAll ? latencies.all : latencies.routes[route];
  };
  change->requests = of(recorded_).size();
  for (size_t p = 0; p < kPercentiles.size(); ++p) {
    PercentileChange& percentile = change->percentiles[p];
    percentile.recorded_ns = PercentileOf(of(recorded_), kPercentiles[p]);
    percentile.simulated_ns = PercentileOf(of(reproduced_), kPercentiles[p]);
    std::vector<double> gains;
    std::vector<double> before_logs;
    std::vector<double> after_logs;
    for (size_t i = 0; i < after.size(); ++i) {
      const double one = PercentileOf(of(base_[i]), kPercentiles[p]);
      const double other = PercentileOf(of(after[i]), kPercentiles[p]);
      if (!(one > 0) || !(other > 0)) continue;
      gains.push_back(std::log(other / one));
      before_logs.push_back(std::log(one));
      after_logs.push_back(std::log(other));
    }
    if (gains.empty()) continue;
    const double direct =
        std::log(PercentileOf(of(after_recorded), kPercentiles[p]) /
                 percentile.simulated_ns);
    const Estimate gain = EstimateOf(std::move(gains));
    const Estimate before = EstimateOf(std::move(before_logs));
    const Estimate later = EstimateOf(std::move(after_logs));
    // What the model says of the recording and what was recorded differ: a
    // change is as unsure in proportion.
    const double gap =
        std::abs(std::log(percentile.simulated_ns / percentile.recorded_ns));
    const double middle = std::isfinite(direct) ? direct : gain.value;
    const double unsure = gap * std::min(1.0, std::abs(middle));
    const double low = middle - (gain.value - gain.low) - unsure;
    const double high = middle + (gain.high - gain.value) + unsure;
    percentile.gain = {std::expm1(middle), std::expm1(low), std::expm1(high)};
    // Another run has other arrivals, as this one had.
    const double down =
        std::hypot(before.high - before.value, later.value - later.low, unsure);
    const double up =
        std::hypot(before.value - before.low, later.high - later.value, unsure);
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
  std::vector<Plan> plans;
  for (const ChangedLoop& loop : changed) {
    plans.push_back(
        {&loop.model, loop.load, loop.workers, loop.offload_threads});
  }
  std::vector<Latencies> after(base_.size());
  ForEachOnThreads(after.size(), [&](size_t i) {
    after[i] = Replicate(plans, options_.seed + i, /*drawn=*/true);
  });
  const Latencies recorded = Replicate(plans, options_.seed, /*drawn=*/false);
  prediction.utilisation_before = reproduced_.utilisation;
  prediction.utilisation_after = recorded.utilisation;
  prediction.capacity_before = base_capacity_;
  prediction.capacity_after = CapacityOf(plans);
  prediction.routes.emplace_back();
  Compare(after, kAll, recorded, &prediction.routes.back());
  for (uint32_t route = 0; by_route && route < names_.routes->size(); ++route) {
    if (recorded_.routes[route].empty()) continue;
    prediction.routes.push_back({route, 0, {}});
    Compare(after, route, recorded, &prediction.routes.back());
  }
  return prediction;
}

}  // namespace edgewise
