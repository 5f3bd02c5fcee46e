#include "whatif/simulation/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "test/native/whatif/model_kit.h"

namespace edgewise {
namespace {

using ::testing::ElementsAre;

TEST(SimulatorTest, OneWaitsForAnother) {
  LoopModel model;
  Add(&model, 0, {Only(100)});
  Add(&model, 10, {Only(100)});
  Add(&model, 500, {Only(100)});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(100, 190, 100));
}

// Kleinrock, Queueing Systems: of a loop that is busy for a share r, with equal
// lengths s and random arrivals, requests wait r s / (2 (1 - r)) on average.
TEST(SimulatorTest, WaitsAsTheoryOfQueuesSays) {
  constexpr double kBusy = 0.7;
  constexpr float kLength = 1000;
  LoopModel model;
  std::mt19937 random(3);
  std::exponential_distribution<double> gap(kBusy / kLength);
  double at_ns = 0;
  for (int i = 0; i < 400'000; ++i) {
    at_ns += gap(random);
    Add(&model, static_cast<int64_t>(at_ns), {Only(kLength)});
  }
  double sum = 0;
  for (const float ns : LatenciesOf(model)) sum += ns;
  const double wait_ns = sum / 400'000 - kLength;
  const double theory_ns = kBusy * kLength / (2 * (1 - kBusy));
  EXPECT_NEAR(wait_ns / theory_ns, 1, 0.03);
}

TEST(SimulatorTest, WhatAnAnswerWaitsForTakesNoLoop) {
  LoopModel model;
  Job asks = Only(100);
  asks.end_ns = -1;
  Job ends = After(0, 1000, 50);
  ends.issue_ns = 100;
  ends.end_ns = 50;
  Add(&model, 0, {asks, ends});
  Add(&model, 200, {Only(100)});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(100, 1150));
}

// It was asked before its parent had ended.
TEST(SimulatorTest, AQuestionLeavesWhereItWasAsked) {
  LoopModel model;
  Job asks = Only(100);
  asks.end_ns = -1;
  Job ends = After(0, 1000, 50);
  ends.issue_ns = 40;
  ends.end_ns = 50;
  Add(&model, 0, {asks, ends});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(1090));
}

TEST(SimulatorTest, AConnectionIsAcceptedEachTurn) {
  LoopModel model;
  model.accept_ns = 10;
  Add(&model, 0, {Only(100)}, /*fresh=*/true);
  Add(&model, 0, {Only(100)}, /*fresh=*/true);
  // Accept; accept and the first one; the second one.
  EXPECT_THAT(LatenciesOf(model), ElementsAre(120, 220));
}

TEST(SimulatorTest, ASharedConnectionIsReadOnceForAll) {
  LoopModel model;
  model.prefix_ns = 30;
  for (int i = 0; i < 2; ++i) {
    Job asks = Only(10);
    asks.end_ns = -1;
    Job ends = After(0, i == 0 ? 100 : 90, 50);  // both at 100
    ends.end_ns = 50;
    ends.station = 5;
    ends.prefix_ns = i == 0 ? 30 : -1;
    Add(&model, 0, {asks, ends});
  }
  Add(&model, 110, {Only(100)});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(180, 230, 220));
}

// Questions leave at 0 and at 50; the second one waits for the first.
TEST(SimulatorTest, ALineAnswersOneAfterTheOther) {
  LoopModel model;
  for (const int64_t ready_ns : {0, 10}) {
    Job asks = Only(50);
    asks.end_ns = -1;
    Job answered = After(0, 20, 10);
    answered.end_ns = 10;
    answered.work_ns = 1000;
    answered.line = 1;
    Add(&model, ready_ns, {asks, answered});
  }
  EXPECT_EQ(LatenciesOf(model), (std::vector<float>{1030, 2020}));
}

TEST(SimulatorTest, ThePoolHasSoManyThreads) {
  LoopModel model;
  model.pool_threads = 2;
  for (int i = 0; i < 3; ++i) {
    Job asks = Only(0);
    asks.end_ns = -1;
    Job ends = After(0, 0, 10);
    ends.pool_ns = 1000;
    ends.end_ns = 10;
    Add(&model, 0, {asks, ends});
  }
  EXPECT_THAT(LatenciesOf(model), ElementsAre(1010, 1020, 2010));
}

TEST(SimulatorTest, AJoinWaitsForTheLastOfThem) {
  LoopModel model;
  Job asks = Only(10);
  asks.end_ns = -1;
  Job slow = After(0, 500, 20);
  Job quick = After(0, 100, 40);
  quick.join = 1;
  quick.end_ns = 40;
  Add(&model, 0, {asks, slow, quick});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(560));
}

TEST(SimulatorTest, AnotherThreadRunsWhatIsMovedThere) {
  LoopModel model;
  Job moved = Only(1000);
  moved.offload_ns = 900;
  Add(&model, 0, {moved});
  Add(&model, 60, {Only(10)});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(10, 1000));
  Add(&model, 61, {moved});
  EXPECT_THAT(LatenciesOf(model, 1), ElementsAre(10, 1000, 1839));
  EXPECT_THAT(LatenciesOf(model, 2), ElementsAre(10, 1000, 1009));
}

TEST(SimulatorTest, PausesComeAfterSoMuchWork) {
  LoopModel model;
  model.collections = {{150, 1000}};
  model.displaced = {{220, 7}, {1000, 1}};
  Add(&model, 0, {Only(100)});
  Add(&model, 0, {Only(100)});
  Add(&model, 0, {Only(100)});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(100, 1200, 1307));
}

// Its response had ended before.
TEST(SimulatorTest, APauseDelaysWhatComesAfterIt) {
  LoopModel model;
  model.collections = {{50, 1000}};
  Job job = Only(100);
  job.end_ns = 40;
  Add(&model, 0, {job});
  Add(&model, 0, {Only(10)});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(40, 2110));
}

TEST(SimulatorTest, WhoWokeUpLateIsLateAndCold) {
  LoopModel model;
  model.wakes_ns = {40};
  model.cold.extra_ns = {7, 7, 7, 7, 7, 7};
  model.gaps_ns = {3};
  Add(&model, 100, {Only(100)});
  Add(&model, 100, {Only(100)});
  Add(&model, 300, {Only(100)});
  // The third one needs another look, but no waking up.
  EXPECT_THAT(LatenciesOf(model), ElementsAre(147, 247, 150));
}

TEST(SimulatorTest, WhatStopsAThreadThatSleepsHarmsNobody) {
  LoopModel model;
  model.others = {{50, 1000, EventType::kUnknown, true},
                  {2000, 1000, EventType::kUnknown, true}};
  Add(&model, 100, {Only(100)});
  Add(&model, 1950, {Only(100)});
  Add(&model, 1960, {Only(100)});
  EXPECT_THAT(LatenciesOf(model), ElementsAre(100, 100, 190));
}

}  // namespace
}  // namespace edgewise
