#include "whatif/whatif.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/stream/watched_traces.h"
#include "whatif/model/recorded_loops.h"
#include "whatif/prediction/prediction.h"
#include "whatif/prediction/ranking.h"
#include "whatif/prediction/whatif_json.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFitting = 0.2;          // of the work
constexpr uint64_t kMostRanked = 20'000;  // requests a replication
constexpr uint32_t kRankReplications = 8;
constexpr uint32_t kMostReplications = 1000;

absl::Status CheckOptions(const WhatIfOptions& options) {
  if (options.replications < 2 || options.replications > kMostReplications) {
    return absl::InvalidArgumentError(
        absl::StrCat("replications ", options.replications,
                     " is not between 2 and ", kMostReplications));
  }
  if (options.skip_ns < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("skip ", options.skip_ns, " ns must not be negative"));
  }
  if (options.goal.has_value() &&
      std::find(kPercentiles.begin(), kPercentiles.end(),
                options.goal->percentile) == kPercentiles.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the goal's percentile ", options.goal->percentile,
                     " is none of ", absl::StrJoin(kPercentiles, ", ")));
  }
  return absl::OkStatus();
}

class Predicting {
 public:
  Predicting(TraceSet* traces, std::string place, const WhatIfOptions& options)
      : progress_(options.progress ? options.progress : &untold_),
        traces_(traces, progress_),
        place_(std::move(place)),
        options_(options) {}

  absl::StatusOr<std::string> Run() {
    if (absl::Status status = CheckOptions(options_); !status.ok()) {
      return status;
    }
    Fit();
    if (absl::Status status = progress_->status(); !status.ok()) return status;
    if (recorded_.loops.empty()) {
      return absl::NotFoundError(absl::StrCat(
          "no request to predict from in ", place_,
          recorded_.files == 0
              ? ": expected files <pid>-<thread>.ewt written by edgewise"
              : ": all came in the first seconds, which are left out, or are "
                "of other routes"));
    }
    return Predict();
  }

 private:
  void Fit() {
    traces_.BeginPass(0, kFitting);
    recorded_ = FitLoops(&traces_, options_.routes, options_.skip_ns);
    facts_.left_out = recorded_.left_out;
    for (const LoopModel& loop : recorded_.loops) {
      facts_.requests += loop.requests.size();
      facts_.seconds = std::max(facts_.seconds, loop.span_ns() / 1e9);
    }
    facts_.loops = &recorded_.loops;
  }

  absl::StatusOr<std::string> Predict() {
    const ModelNames names{&recorded_.routes, &recorded_.dependencies};
    const Predictor predictor(
        &recorded_.loops, names,
        {options_.replications, options_.seed, UINT64_MAX, progress_});
    auto unchanged = predictor.Predict({}, /*by_route=*/true);
    if (!unchanged.ok()) return unchanged.status();
    Json json = {{"schema", 1},
                 {"fit", FitJson(facts_, *unchanged, recorded_.routes)},
                 {"scenarios", Json::array()}};
    std::vector<Scenario> candidates;
    if (options_.rank) candidates = Candidates(recorded_.loops, names);
    const double steps =
        static_cast<double>(1 + options_.scenarios.size() + candidates.size());
    double step = 1;
    const auto told = [&] {
      progress_->Reach(kFitting + (1 - kFitting) * step++ / steps);
      return progress_->status();
    };
    for (const Scenario& scenario : options_.scenarios) {
      if (absl::Status status = told(); !status.ok()) return status;
      auto prediction = predictor.Predict(scenario.changes, /*by_route=*/true);
      if (absl::IsFailedPrecondition(prediction.status())) {
        json["scenarios"].push_back(RefusedJson(
            scenario.name, std::string(prediction.status().message()),
            *unchanged, recorded_.routes));
        continue;
      }
      if (!prediction.ok()) return prediction.status();
      json["scenarios"].push_back(
          ScenarioJson(scenario.name, *prediction, recorded_.routes));
    }
    if (options_.goal.has_value()) json["goal"] = GoalJson(predictor);
    if (!options_.rank) return Text(json);
    const Predictor quick(
        &recorded_.loops, names,
        {kRankReplications, options_.seed, kMostRanked, progress_});
    std::vector<std::pair<double, Json>> ranked;
    for (const Scenario& candidate : candidates) {
      if (absl::Status status = told(); !status.ok()) return status;
      auto prediction = quick.Predict(candidate.changes, /*by_route=*/false);
      if (!prediction.ok()) return prediction.status();
      const double gain = prediction->routes[0].percentiles[2].gain.value;
      ranked.emplace_back(
          gain, ScenarioJson(candidate.name, *prediction, recorded_.routes));
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& one, const auto& other) {
                       return one.first < other.first;
                     });
    json["ranking"] = Json::array();
    for (auto& [gain, each] : ranked)
      json["ranking"].push_back(std::move(each));
    return Text(json);
  }

  // The largest load that keeps the limit, by bisection.
  Json GoalJson(const Predictor& predictor) const {
    const LatencyGoal& goal = *options_.goal;
    constexpr int kSteps = 12;
    const size_t index = static_cast<size_t>(
        std::find(kPercentiles.begin(), kPercentiles.end(), goal.percentile) -
        kPercentiles.begin());
    double low = 0;
    double high = 0;
    double at_ns = 0;
    for (int i = 0; i < kSteps && progress_->status().ok(); ++i) {
      const double load = high == 0 ? std::exp2(i) : (low + high) / 2;
      Change change{};
      change.kind = Change::Kind::kLoad;
      change.scale = load;
      const auto prediction = predictor.Predict({change}, false);
      if (!prediction.ok()) break;
      const double ns = prediction->routes[0].percentiles[index].after_ns.value;
      const bool held =
          prediction->steady() && ns <= static_cast<double>(goal.limit_ns);
      if (held) {
        low = load;
        at_ns = ns;
      } else {
        high = load;
      }
    }
    Json json = {{"percentile", goal.percentile},
                 {"limit_ns", goal.limit_ns},
                 {"load", low > 0 ? Json(low) : Json(nullptr)}};
    if (low > 0) json["at_ns"] = std::llround(at_ns);
    return json;
  }

  static std::string Text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  AnalysisProgress untold_;
  AnalysisProgress* const progress_;
  WatchedTraces traces_;
  const std::string place_;
  const WhatIfOptions& options_;
  RecordedLoops recorded_;
  FitFacts facts_;
};

}  // namespace

absl::StatusOr<std::string> BuildWhatIf(const std::string& dir,
                                        const WhatIfOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  auto traces = OpenTraceDirectory(dir);
  if (!traces.ok()) return traces.status();
  return Predicting(traces->get(), dir, options).Run();
}

absl::StatusOr<std::string> BuildWhatIf(std::span<const TraceBytes> files,
                                        const WhatIfOptions& options) {
  const std::unique_ptr<TraceSet> traces = TracesInMemory(files);
  return Predicting(traces.get(), "memory", options).Run();
}

}  // namespace edgewise
