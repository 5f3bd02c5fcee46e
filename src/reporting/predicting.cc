#include "reporting/predicting.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "reporting/options.h"
#include "reporting/watched_work.h"
#include "reporting/watched_worker.h"
#include "whatif/whatif.h"

namespace edgewise {
namespace {

// As lib/whatif/scenario-file.js names them, in the order of Change::Kind.
constexpr std::string_view kKinds[] = {
    "cpu",       "wait",         "collections", "load",  "processor",
    "neighbour", "replica-lost", "parallel",    "batch", "offload",
    "workers",   "semi-space",   "input"};

Change ChangeOf(const Napi::Object& given) {
  Change change{};
  const std::string kind = TextOr(given, "kind");
  change.kind = static_cast<Change::Kind>(std::size(kKinds));  // none
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i] == kind) change.kind = static_cast<Change::Kind>(i);
  }
  change.route = TextOr(given, "route");
  change.dependency = TextOr(given, "dependency");
  change.scale = NumberOr(given, "scale", change.scale);
  change.add_ns = NumberOr(given, "addNs", change.add_ns);
  change.bytes = NumberOr(given, "bytes", change.bytes);
  change.first = static_cast<uint32_t>(WholeOr(given, "first", 0));
  change.second = static_cast<uint32_t>(WholeOr(given, "second", 0));
  change.count = static_cast<uint32_t>(WholeOr(given, "count", 1));
  if (const Napi::Value tier = given.Get("tierNs"); tier.IsArray()) {
    const auto list = tier.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); ++i) {
      change.tier.push_back(list.Get(i).As<Napi::Number>().FloatValue());
    }
  }
  return change;
}

WhatIfOptions PredictionOf(const Napi::Object& given) {
  WhatIfOptions options;
  options.routes.only = TextOr(given, "onlyRoute");
  options.routes.left_out = TextsOf(given.Get("excludeRoute"));
  options.skip_ns =
      WholeOr(given, "skip", options.skip_ns / 1'000'000'000, 1e9);
  options.replications = static_cast<uint32_t>(
      WholeOr(given, "replications", options.replications));
  options.seed = static_cast<uint64_t>(WholeOr(given, "seed", 1));
  options.rank = Is(given, "rank");
  const double percentile = NumberOr(given, "goalPercentile", 0);
  if (percentile > 0) {
    options.goal = LatencyGoal{percentile, WholeOr(given, "goalNs", 0)};
  }
  const Napi::Value scenarios = given.Get("scenarios");
  if (!scenarios.IsArray()) return options;
  const auto list = scenarios.As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const auto one = list.Get(i).As<Napi::Object>();
    Scenario scenario{TextOr(one, "name"), {}};
    const auto changes = one.Get("changes").As<Napi::Array>();
    for (uint32_t k = 0; k < changes.Length(); ++k) {
      scenario.changes.push_back(ChangeOf(changes.Get(k).As<Napi::Object>()));
    }
    options.scenarios.push_back(std::move(scenario));
  }
  return options;
}

class Predicting : public WatchedWorker {
 public:
  Predicting(Napi::Env env, std::string dir, WhatIfOptions options)
      : WatchedWorker(env, "edgewise.whatif"),
        dir_(std::move(dir)),
        options_(std::move(options)) {}

 protected:
  absl::StatusOr<std::string> Work(AnalysisProgress* progress) override {
    options_.progress = progress;
    return BuildWhatIf(dir_, options_);
  }

 private:
  const std::string dir_;
  WhatIfOptions options_;
};

Napi::Value Predict(const Napi::CallbackInfo& info) {
  return StartWatched(
      info.Env(),
      new Predicting(info.Env(), info[0].As<Napi::String>().Utf8Value(),
                     PredictionOf(info[1].As<Napi::Object>())));
}

}  // namespace

void InstallPredicting(Napi::Env env, Napi::Object exports) {
  exports.Set("whatif", Napi::Function::New(env, &Predict));
}

}  // namespace edgewise
