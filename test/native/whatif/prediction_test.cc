#include "whatif/prediction/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "test/native/analysis/trace_builder.h"
#include "test/native/whatif/model_kit.h"
#include "whatif/model/fitting.h"
#include "whatif/whatif.h"

// From a trace to a prediction.

namespace edgewise {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr int64_t kUs = 1000;

// Requests at random, about 40 % busy. GET /quick runs for 200 us; GET /slow
// for 500, waits 3 ms for redis, which has its own connection, and runs for
// 100.
std::string Trace(int count, double load = 1, int64_t slow_us = 500) {
  struct Part {
    int64_t ready;
    int64_t length;
    uint32_t request;
    bool slow;
    bool ends;
    uint64_t id;
  };
  TraceBuilder t;
  t.Meta();
  std::mt19937 random(1);
  std::exponential_distribution<double> gap(load / 900e3);
  const auto later = [](const Part& one, const Part& other) {
    return one.ready > other.ready;
  };
  std::vector<Part> heap;
  double at = 0;
  for (uint32_t i = 1; i <= static_cast<uint32_t>(count); ++i) {
    at += gap(random);
    const bool slow = i % 3 == 0;
    heap.push_back({static_cast<int64_t>(at), (slow ? slow_us : 200) * kUs, i,
                    slow, !slow, 0});
  }
  std::make_heap(heap.begin(), heap.end(), later);
  int64_t now = 0;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Part part = heap.back();
    heap.pop_back();
    const int64_t begin = std::max(now, part.ready);
    const uint32_t flags = part.ready > now ? kFlagLoopSlept : 0;
    now = begin + part.length;
    const char* const route = part.slow ? "GET /slow" : "GET /quick";
    if (part.id == 0) t.Start(begin, part.request);
    if (part.ends) t.End(now - 10 * kUs, part.request, route);
    const uint64_t id = part.ends ? 0 : t.Register();
    t.Event(begin, now,
            {EventType::kTcpRead, part.ready, part.id, ReadyKind::kObserved,
             flags, part.id == 0 ? 7 : 8});
    if (part.ends) continue;
    heap.push_back(
        {now + 3000 * kUs, slow_us / 5 * kUs, part.request, true, true, id});
    std::push_heap(heap.begin(), heap.end(), later);
  }
  return t.Finish(now).Bytes();
}

Json Predict(const std::string& bytes, std::vector<Scenario> scenarios,
             WhatIfOptions options = {}) {
  options.scenarios = std::move(scenarios);
  options.skip_ns = 0;
  const TraceBytes file{"1-0.ewt", bytes};
  const auto json = BuildWhatIf({&file, 1}, options);
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? Json::parse(*json) : Json();
}

Change Of(Change::Kind kind, double scale, const char* route = "") {
  Change change{};
  change.kind = kind;
  change.scale = scale;
  change.route = route;
  return change;
}

double Recorded(const Json& json, const char* percentile) {
  return json["fit"]["routes"][0]["percentiles"][percentile]["recorded_ns"]
      .get<double>();
}

double After(const Json& json, const char* percentile) {
  return json["scenarios"][0]["routes"][0]["percentiles"][percentile]
             ["after_ns"][0]
                 .get<double>();
}

TEST(PredictionTest, ARecordingIsReproduced) {
  const Json fit = Predict(Trace(4000), {})["fit"];
  EXPECT_EQ(fit["requests"], 4000);
  EXPECT_EQ(fit["left_out"], 0);
  for (const Json& route : fit["routes"]) {
    for (const char* percentile : {"p50", "p90"}) {
      const Json& each = route["percentiles"][percentile];
      EXPECT_NEAR(each["simulated_ns"].get<double>() /
                      each["recorded_ns"].get<double>(),
                  1, 0.01)
          << route;
    }
  }
  EXPECT_NEAR(fit["utilisation"].get<double>(), 0.37, 0.03);
  EXPECT_NEAR(fit["capacity"].get<double>(), 3e6 / (2 * 200 + 600), 100);
}

// Others take the processor as often as it does.
TEST(PredictionTest, WithAProcessorOfItsOwnALoopAnswersMore) {
  std::vector<LoopModel> loops(1);
  for (int i = 0; i < 200; ++i) Add(&loops[0], i * 10'000'000LL, {Only(1e6)});
  loops[0].displaced = {{1e6, 1e6}};
  RouteTable routes;
  DependencyTable dependencies;
  const Predictor predictor(&loops, {&routes, &dependencies}, {});
  const auto predicted = predictor.Predict({}, false);
  ASSERT_TRUE(predicted.ok());
  EXPECT_NEAR(predicted->capacity_before, 500, 5);
  EXPECT_NEAR(predicted->alone_before, 1000, 5);
  EXPECT_EQ(predicted->alone_after, predicted->alone_before);
}

// What was predicted is what a recording of the changed program has.
TEST(PredictionTest, HalfTheExecutionOfARoute) {
  const Json predicted = Predict(
      Trace(4000), {{"half", {Of(Change::Kind::kCpu, 0.5, "GET /slow")}}});
  const Json came = Predict(Trace(4000, 1, 250), {});
  for (const char* percentile : {"p50", "p90", "p99"}) {
    EXPECT_NEAR(After(predicted, percentile) / Recorded(came, percentile), 1,
                0.03)
        << percentile;
  }
}

TEST(PredictionTest, MoreLoad) {
  const Json predicted =
      Predict(Trace(8000), {{"load", {Of(Change::Kind::kLoad, 1.8)}}});
  const Json came = Predict(Trace(8000, 1.8), {});
  for (const char* percentile : {"p50", "p90", "p99"}) {
    EXPECT_NEAR(After(predicted, percentile) / Recorded(came, percentile), 1,
                0.02)
        << percentile;
  }
}

TEST(PredictionTest, WhatCannotBeToldIsRefused) {
  const Json predicted =
      Predict(Trace(4000), {{"load", {Of(Change::Kind::kLoad, 3)}}});
  const Json& scenario = predicted["scenarios"][0];
  EXPECT_EQ(scenario["routes"][0]["percentiles"]["p99.9"], nullptr);
  EXPECT_FALSE(
      scenario["routes"][0]["percentiles"]["p50"].contains("after_ns"));
  ASSERT_EQ(scenario["refused"].size(), 2u) << scenario;
  EXPECT_THAT(scenario["refused"][0].get<std::string>(), HasSubstr("busy"));
  EXPECT_THAT(scenario["refused"][1].get<std::string>(),
              HasSubstr("p99.9 needs 10000 requests, and there are 4000"));
}

TEST(PredictionTest, TheLargestLoadOfAGoal) {
  WhatIfOptions options;
  options.goal = LatencyGoal{50, 700 * kUs};
  const Json goal = Predict(Trace(4000), {}, options)["goal"];
  ASSERT_TRUE(goal["load"].is_number()) << goal;
  const Json came = Predict(Trace(4000, goal["load"].get<double>()), {});
  EXPECT_NEAR(Recorded(came, "p50") / 700e3, 1, 0.05);
}

TEST(PredictionTest, WhatIsWorthChangingComesFirst) {
  WhatIfOptions options;
  options.rank = true;
  const Json ranking = Predict(Trace(4000), {}, options)["ranking"];
  ASSERT_GE(ranking.size(), 3u);
  EXPECT_THAT(ranking[0]["name"].get<std::string>(),
              HasSubstr("half the wait"));
  double before = -1;
  for (const Json& each : ranking) {
    const double gain =
        each["routes"][0]["percentiles"]["p99"]["gain"][0].get<double>();
    EXPECT_GE(gain, before);
    before = gain;
  }
}

TEST(PredictionTest, EqualSeedsGiveEqualPredictions) {
  const std::string trace = Trace(500);
  const std::vector<Scenario> half = {{"half", {Of(Change::Kind::kCpu, 0.5)}}};
  EXPECT_EQ(Predict(trace, half), Predict(trace, half));
}

TEST(PredictionTest, ACancelledOneEndsSo) {
  AnalysisProgress progress;
  WhatIfOptions options;
  options.progress = &progress;
  options.rank = true;
  options.skip_ns = 0;
  progress.Cancel();
  const std::string trace = Trace(500);
  const TraceBytes file{"1-0.ewt", trace};
  EXPECT_TRUE(absl::IsCancelled(BuildWhatIf({&file, 1}, options).status()));
}

TEST(PredictionTest, NothingToPredictFrom) {
  const TraceBytes file{"1-0.ewt", "no trace"};
  const auto json = BuildWhatIf({&file, 1}, {});
  EXPECT_TRUE(absl::IsNotFound(json.status()));
  WhatIfOptions goal;
  goal.goal = LatencyGoal{95, 1'000'000};
  EXPECT_TRUE(absl::IsInvalidArgument(BuildWhatIf({&file, 1}, goal).status()));
  WhatIfOptions options;
  options.replications = 1;
  EXPECT_TRUE(
      absl::IsInvalidArgument(BuildWhatIf({&file, 1}, options).status()));
}

}  // namespace
}  // namespace edgewise
