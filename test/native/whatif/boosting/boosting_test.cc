#include "whatif/boosting/boosting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "test/native/analysis/random_trace.h"
#include "test/native/whatif/model_kit.h"
#include "whatif/model/recorded_loops.h"

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kSimUs = 1'000;
constexpr int64_t kSimMs = 1'000'000;

// Nobody is late, and low is as recorded.
BoostMachine Exact() {
  BoostMachine machine;
  machine.speeds = {1, 1.5, 2};
  machine.fall_ns = 0;
  machine.deadline = machine.look = {};
  return machine;
}

struct Ran {
  std::vector<float> latencies_ns;  // in the order of their ends
  BoostCounts counts;
};

Ran RunUnder(const LoopModel& model, const BoostCandidate& candidate,
             const BoostMachine& machine = Exact()) {
  auto policy = MakePolicy(candidate.policies, candidate.config);
  EXPECT_TRUE(policy.ok()) << policy.status();
  BoostedLoop boosted(*std::move(policy), machine, 0, 1);
  const Simulated simulated = Simulate(
      model, ArrivalsOf(model, RecordedBlocks(model), 1), 1, 1, &boosted);
  Ran ran;
  for (const SimulatedRequest& request : simulated.requests) {
    ran.latencies_ns.push_back(request.latency_ns);
  }
  ran.counts = boosted.Finish(static_cast<int64_t>(simulated.span_ns));
  return ran;
}

BoostCandidate Named(std::string policies) {
  BoostCandidate candidate;
  candidate.policies = std::move(policies);
  candidate.config.frequencies = Exact().frequencies;
  return candidate;
}

// Adrenaline, for the requests of one route.
BoostCandidate OfRoute(uint32_t route) {
  BoostCandidate candidate = Named("adrenaline");
  candidate.config.tail_routes = {route};
  return candidate;
}

// A job that asks for what follows it.
Job Asks(float own_ns) {
  Job job = Only(own_ns);
  job.end_ns = -1;
  return job;
}

Job Ends(float io_ns, float own_ns) {
  Job job = After(0, io_ns, own_ns);
  job.end_ns = own_ns;
  return job;
}

// Lengths are even, so that all of it can run twice as fast.
LoopModel RandomModel(uint32_t seed) {
  std::mt19937 random(seed);
  const auto any = [&random](int most) {
    return static_cast<float>(2 * (1 + random() % (most / 2)));
  };
  LoopModel model;
  model.pool_threads = 2;
  model.accept_ns = 30;
  model.gaps_ns = {4};
  model.wakes_ns = {50};
  model.collections = {{1000, 600, GcType::kScavenge},
                       {5000, 9000, GcType::kMarkSweepCompact}};
  int64_t at_ns = 0;
  for (int i = 0; i < 500; ++i) {
    at_ns += static_cast<int64_t>(any(3000));
    Job asks = Asks(any(1000));
    Job ends = Ends(any(5000), any(600));
    ends.issue_ns = asks.own_ns / 2;
    if (i % 3 == 0) ends.pool_ns = any(4000);
    if (i % 4 == 0) ends.station = 9;
    Add(&model, at_ns, {asks, ends}, i % 7 == 0);
    model.requests.back().route = static_cast<uint32_t>(i % 5);
    if (i % 5 == 0) {
      model.others.push_back(
          {at_ns + 40, any(300), EventType::kUnknown, false});
    }
  }
  return model;
}

// What runs takes half as long; what is waited for, as long as ever.
LoopModel TwiceAsFast(LoopModel model) {
  for (Job& job : model.jobs) {
    job.own_ns /= 2;
    job.issue_ns /= 2;
    if (job.end_ns > 0) job.end_ns /= 2;
    if (job.prefix_ns > 0) job.prefix_ns /= 2;
  }
  for (LoopPause& pause : model.collections) {
    pause.ns /= 2;
    pause.after_ns /= 2;
  }
  for (OtherWork& other : model.others) other.ns /= 2;
  for (float& gap_ns : model.gaps_ns) gap_ns /= 2;
  model.accept_ns /= 2;
  return model;
}

TEST(BoostingTest, NothingBoostedIsTheUnchangedSimulation) {
  for (uint32_t seed = 1; seed < 6; ++seed) {
    const LoopModel model = RandomModel(seed);
    EXPECT_EQ(RunUnder(model, Named("low")).latencies_ns, LatenciesOf(model));
  }
}

TEST(BoostingTest, TheMaximumIsARunAtScaledSpeed) {
  for (uint32_t seed = 1; seed < 6; ++seed) {
    const LoopModel model = RandomModel(seed);
    const std::vector<float> fast = RunUnder(model, Named("high")).latencies_ns;
    EXPECT_EQ(fast, LatenciesOf(TwiceAsFast(model)));
    EXPECT_NE(fast, LatenciesOf(model));
  }
}

TEST(BoostingTest, WhatIsWaitedForIsNotFaster) {
  LoopModel model;
  Job ends = Ends(1000, 50);
  ends.issue_ns = 100;
  Add(&model, 0, {Asks(100), ends});
  EXPECT_THAT(RunUnder(model, Named("high")).latencies_ns,
              ElementsAre(50 + 1000 + 25));
}

// It holds only after a while, in the middle of what runs.
TEST(BoostingTest, ACollectionIsFasterOnceTheFrequencyHasRisen) {
  LoopModel model;
  model.collections = {{100, 1000, GcType::kScavenge}, {1e9, 1}};
  Add(&model, 0, {Only(200)});
  BoostMachine machine = Exact();
  machine.rise_ns = 100;
  machine.fall_ns = 40;
  const Ran ran = RunUnder(model, Named("gc"), machine);
  EXPECT_THAT(ran.latencies_ns, ElementsAre(100 + 100 + 900 / 2 + 40 + 20));
  EXPECT_EQ(ran.counts.boosts, 1u);
  EXPECT_EQ(ran.counts.transitions, 2u);
  EXPECT_THAT(ran.counts.residency, ElementsAre(100 + 100 + 20, 0, 450 + 40));
}

TEST(BoostingTest, WhatIsWithdrawnBeforeItHoldsIsNoTransition) {
  LoopModel model;
  model.collections = {{100, 60, GcType::kScavenge}, {1e9, 1}};
  Add(&model, 0, {Only(200)});
  BoostMachine machine = Exact();
  machine.rise_ns = 100;
  const Ran ran = RunUnder(model, Named("gc"), machine);
  EXPECT_THAT(ran.latencies_ns, ElementsAre(260));
  EXPECT_EQ(ran.counts.boosts, 1u);
  EXPECT_EQ(ran.counts.transitions, 0u);
}

// High from 200 to 300 and from 500 to 600 of 1000; the paper's power there is
// 2.712 of low's.
TEST(BoostingTest, EnergyIsThatOfTheTimeAtEachLevel) {
  LoopModel model;
  Add(&model, 0, {Only(100)});
  Add(&model, 200, {Only(200)});
  Add(&model, 500, {Only(200)});
  Add(&model, 900, {Only(100)});
  model.requests[1].route = model.requests[2].route = 1;
  const Ran ran = RunUnder(model, OfRoute(1));
  EXPECT_THAT(ran.latencies_ns, ElementsAre(100, 100, 100, 100));
  EXPECT_THAT(ran.counts.residency, ElementsAre(800, 0, 200));
  EXPECT_EQ(ran.counts.boosts, 2u);
  EXPECT_EQ(ran.counts.transitions, 4u);
  EXPECT_NEAR(ModelledEnergy(ran.counts.residency, Exact().frequencies),
              0.8 + 0.2 * 2.712, 0.001);
  const Ran high = RunUnder(model, Named("high"));
  EXPECT_NEAR(ModelledEnergy(high.counts.residency, Exact().frequencies), 2.712,
              0.01);
  EXPECT_EQ(high.counts.transitions, 0u);
}

// Events of 0.1 ms, one a millisecond, to which Queue Boost gets used.
LoopModel Usual() {
  LoopModel model;
  for (int64_t i = 0; i < 100; ++i) Add(&model, i * kSimMs, {Only(1e5)});
  return model;
}

TEST(BoostingTest, AnEventThatTakesLongIsBoostedWhenItsDeadlineIsDue) {
  LoopModel model = Usual();
  Add(&model, 200 * kSimMs, {Only(1e7)});
  // Half a millisecond is long.
  EXPECT_EQ(RunUnder(model, Named("queue")).latencies_ns.back(),
            5e5 + 9.5e6 / 2);
  BoostMachine late = Exact();
  late.deadline = {1e5, 1e5};
  EXPECT_EQ(RunUnder(model, Named("queue"), late).latencies_ns.back(),
            6e5 + 9.4e6 / 2);
}

TEST(BoostingTest, AQueueThatGrowsIsSeenByALook) {
  LoopModel model = Usual();
  Add(&model, 200 * kSimMs, {Only(4e6)});
  for (int i = 0; i < 6; ++i) Add(&model, 201 * kSimMs, {Only(1000)});
  BoostCandidate patient = Named("queue");
  patient.config.head_factor = 100;
  BoostMachine machine = Exact();
  machine.look = {2e5, 2e5};
  const Ran ran = RunUnder(model, patient, machine);
  EXPECT_EQ(ran.latencies_ns[100], 1.2e6 + 2.8e6 / 2);
  EXPECT_GE(ran.counts.looks, 1u);
}

TEST(BoostingTest, EqualSeedsGiveEqualResults) {
  const LoopModel model = RandomModel(3);
  BoostOptions options;
  options.replications = 4;
  const auto values = [&](uint64_t seed) {
    options.seed = seed;
    const auto outcomes =
        CompareBoosts(model, {Named("low"), Named("gc,queue")}, options);
    EXPECT_TRUE(outcomes.ok()) << outcomes.status();
    return std::vector<double>{(*outcomes)[1].latency_ns[2].value,
                               (*outcomes)[1].energy.value,
                               (*outcomes)[1].ratio[1].value};
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

// The first is what the others are compared with, over the same arrivals.
TEST(BoostingTest, RatiosAreOfTheSameReplications) {
  BoostOptions options;
  options.replications = 4;
  options.machine = Exact();
  const auto outcomes = CompareBoosts(
      RandomModel(2), {Named("low"), Named("low"), Named("high")}, options);
  ASSERT_TRUE(outcomes.ok()) << outcomes.status();
  EXPECT_EQ((*outcomes)[1].ratio[2].low, 1);
  EXPECT_EQ((*outcomes)[1].ratio[2].high, 1);
  EXPECT_LT((*outcomes)[2].ratio[1].high, 1);
  EXPECT_LT((*outcomes)[2].utilisation, (*outcomes)[0].utilisation);
  EXPECT_EQ((*outcomes)[0].energy.value, 1);
}

TEST(BoostingTest, WhatCannotBeIsRefused) {
  const LoopModel model = RandomModel(1);
  BoostOptions options;
  EXPECT_FALSE(CompareBoosts(model, {}, options).ok());
  const auto unknown = CompareBoosts(model, {Named("slow")}, options);
  EXPECT_THAT(std::string(unknown.status().message()),
              ::testing::HasSubstr("\"slow\" does not exist"));
  options.machine.speeds[0] = 0;
  EXPECT_FALSE(CompareBoosts(model, {Named("low")}, options).ok());
  options = {};
  options.replications = 1;
  EXPECT_FALSE(CompareBoosts(model, {Named("low")}, options).ok());
  options = {};
  options.warm_up = 1;
  EXPECT_FALSE(CompareBoosts(model, {Named("low")}, options).ok());
  options = {};
  options.load = 0;
  EXPECT_FALSE(CompareBoosts(model, {Named("low")}, options).ok());
}

class RandomBoostsTest : public ::testing::TestWithParam<uint32_t> {};

// Whatever a trace says, no policy loses a request.
TEST_P(RandomBoostsTest, AnswersAllRequests) {
  RandomTraceOptions trace;
  trace.seed = GetParam();
  trace.events = 300;
  trace.faults = GetParam() % 2 == 1;
  trace.patched = GetParam() % 3 == 1;
  const std::string bytes = RandomTrace(trace);
  const TraceBytes file{"1-0.ewt", bytes};
  const std::unique_ptr<TraceSet> traces = TracesInMemory({&file, 1});
  AnalysisProgress untold;
  WatchedTraces watched(traces.get(), &untold);
  watched.BeginPass(0, 1);
  for (const LoopModel& model : FitLoops(&watched, {}, 0).loops) {
    const size_t answered = LatenciesOf(model).size();
    for (const char* const policies :
         {"low", "high", "gc", "gc,queue", "slo", "rubik", "adrenaline"}) {
      BoostCandidate candidate = Named(policies);
      candidate.config.tail_routes = {3, 4};
      candidate.config.target_ns = GetParam() % 2 == 0 ? 100 * kSimUs : 0;
      for (const BoostMachine& machine : {Exact(), BoostMachine{}}) {
        const Ran ran = RunUnder(model, candidate, machine);
        EXPECT_EQ(ran.latencies_ns.size(), answered) << policies;
        const double energy =
            ModelledEnergy(ran.counts.residency, machine.frequencies);
        EXPECT_GE(energy, 1);
        EXPECT_LE(energy, 2.72);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBoostsTest, ::testing::Range(0U, 12U));

}  // namespace
}  // namespace edgewise
