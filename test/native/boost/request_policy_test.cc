#include <gtest/gtest.h>

#include "boost/policy/in_flight.h"
#include "test/native/boost/policy_kit.h"

namespace edgewise {
namespace {

TEST(AdrenalinePolicy, BoostsTailRoutesForTheirLife) {
  PolicyConfig config;
  config.tail_routes = {9, 4};
  Player player(MakeOrDie("adrenaline", config));
  player.Request(1, 5);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Request(2, 4);
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_EQ(player.reason(), Reason::kRequest);
  player.Idle();  // also while it waits
  player.Request(3, 9);
  player.RequestEnd(2);
  player.RequestEnd(1);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.RequestEnd(3);
  EXPECT_EQ(player.level(), Level::kLow);
  player.RequestEnd(3);
  EXPECT_EQ(player.level(), Level::kLow);
}

// Its end may have been among them.
TEST(AdrenalinePolicy, ForgetsWhatWasInFlightWhenSignalsAreLost) {
  PolicyConfig config;
  config.tail_routes = {4};
  Player player(MakeOrDie("adrenaline", config));
  player.Request(1, 4);
  player.Tell({.kind = SignalKind::kSignalsLost});
  EXPECT_EQ(player.level(), Level::kLow);
  player.Request(2, 4);
  player.RequestEnd(1);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.RequestEnd(2);
  EXPECT_EQ(player.level(), Level::kLow);
}

PolicyConfig WithTarget(int64_t target_ns) {
  PolicyConfig config = PaperConfig();
  config.target_ns = target_ns;
  return config;
}

// Knows that requests take between 1 and 2 ms.
Player WarmRubik(int64_t target_ns) {
  Player player(MakeOrDie("rubik", WithTarget(target_ns)));
  for (int i = 0; i < 1'000; ++i) player.Requests(1, 1, kMs + i % 10 * 100'000);
  EXPECT_EQ(player.level(), Level::kLow);
  return player;
}

TEST(RubikPolicy, StaysLowWhenTheTailOfTheWorkFits) {
  Player player = WarmRubik(10 * kMs);
  for (uint32_t i = 1; i <= 4; ++i) player.Request(i, 1);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(RubikPolicy, TakesTheLowestLevelThatFits) {
  Player player = WarmRubik(10 * kMs);
  for (uint32_t i = 1; i <= 6; ++i) player.Request(i, 1);
  EXPECT_EQ(player.level(), Level::kMid);  // six take some 10.5 ms
  EXPECT_EQ(player.reason(), Reason::kRequest);
  for (uint32_t i = 7; i <= 9; ++i) player.Request(i, 1);
  EXPECT_EQ(player.level(), Level::kHigh);
  for (uint32_t i = 1; i <= 8; ++i) player.RequestEnd(i);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(RubikPolicy, CountsTheAgeAgainstTheTarget) {
  Player player = WarmRubik(10 * kMs);
  player.Request(1, 1, 9'500 * kUs);
  EXPECT_EQ(player.level(), Level::kHigh);
}

TEST(RubikPolicy, ForgetsWhatWasInFlightWhenSignalsAreLost) {
  Player player = WarmRubik(10 * kMs);
  player.Request(1, 1, 9'500 * kUs);
  player.Tell({.kind = SignalKind::kSignalsLost});
  EXPECT_EQ(player.level(), Level::kLow);
  EXPECT_EQ(player.policy().next_deadline_ns(), kNever);
  player.RequestEnd(1);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(RubikPolicy, ReconsidersAsTimePasses) {
  Player player = WarmRubik(10 * kMs);
  player.Request(1, 1);
  EXPECT_EQ(player.level(), Level::kLow);
  const int before = player.deadlines();
  player.Pass(20 * kMs);
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_GT(player.deadlines(), before);
  EXPECT_LT(player.deadlines(), before + 30);
}

// Waiting for I/O is taken for work: four requests that wait at once are
// believed to be served one after the other.
TEST(RubikPolicy, TakesInterleavedRequestsForAQueue) {
  Player player = WarmRubik(10 * kMs);
  for (uint32_t i = 1; i <= 9; ++i) player.Request(i, 1);
  player.Idle();
  EXPECT_EQ(player.level(), Level::kHigh);
}

// Knows route 1 (200 us), route 2 (8 ms), scavenges (0.5 ms) and mark-sweeps
// (20 ms).
Player WarmSlo(int64_t target_ns) {
  Player player(MakeOrDie("slo", WithTarget(target_ns)));
  player.Requests(300, 1, 200 * kUs);
  player.Requests(20, 2, 8 * kMs);
  for (int i = 0; i < 20; ++i) {
    player.GcBegin();
    player.Pass(500 * kUs);
    player.GcEnd();
    player.GcBegin(GcKind::kMarkSweepCompact);
    player.Pass(20 * kMs);
    player.GcEnd(GcKind::kMarkSweepCompact);
  }
  player.Requests(300, 1, 200 * kUs);
  EXPECT_EQ(player.level(), Level::kLow);
  return player;
}

TEST(SloPolicy, LeavesARequestAloneThatWillMakeIt) {
  Player player = WarmSlo(20 * kMs);
  player.Busy(1);
  player.Event();
  player.Request(1, 2);  // 8 ms of 20
  player.Pass(8 * kMs);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(SloPolicy, BoostsARequestByAgeAndRoute) {
  Player player = WarmSlo(20 * kMs);
  player.Busy(1);
  player.Event();
  player.Request(1, 1, 15 * kMs);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Pass(200 * kUs);
  player.RequestEnd(1);
  player.Event();
  player.Request(2, 2, 15 * kMs);  // 15 and 8 are more than 20
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_EQ(player.reason(), Reason::kRequest);
  player.Pass(5 * kMs);
  player.RequestEnd(2);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(SloPolicy, ACollectionCountsWhenARequestIsBehindIt) {
  Player alone = WarmSlo(40 * kMs);
  alone.Busy(1);
  alone.Event();
  alone.GcBegin(GcKind::kMarkSweepCompact);
  EXPECT_EQ(alone.level(), Level::kLow);  // nobody near the target

  Player waited = WarmSlo(40 * kMs);
  waited.Busy(1);
  waited.Event();
  waited.Request(1, 1, 25 * kMs);
  EXPECT_EQ(waited.level(), Level::kLow);
  waited.GcBegin();
  EXPECT_EQ(waited.level(), Level::kLow);  // 0.5 ms do no harm
  waited.GcEnd();
  waited.GcBegin(GcKind::kMarkSweepCompact);  // 20 ms do
  EXPECT_EQ(waited.level(), Level::kHigh);
}

TEST(SloPolicy, SeesABacklogBeforeItIsRequests) {
  Player player = WarmSlo(20 * kMs);
  player.Busy(20);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Idle();
  player.Pass(kMs);
  player.Busy(200);  // of which most take 200 us
  EXPECT_EQ(player.level(), Level::kHigh);
  player.Idle();
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(SloPolicy, NoticesAnEventThatTurnsOutLong) {
  Player player = WarmSlo(20 * kMs);
  player.Busy(1);
  player.Event();
  player.Request(1, 1);
  EXPECT_EQ(player.level(), Level::kLow);
  ASSERT_NE(player.policy().next_deadline_ns(), kNever);
  player.Pass(30 * kMs);  // no signal but its deadlines
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_LT(player.deadlines(), 1'000);
}

TEST(SloPolicy, HelpsNobodyWhoWaitsForIo) {
  Player player = WarmSlo(20 * kMs);
  player.Busy(1);
  player.Event();
  player.Request(1, 1);
  player.Pass(200 * kUs);
  player.Idle();
  player.Pass(100 * kMs);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Busy(1);
  player.Event();  // something short of another: 1 is past the target
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(SloPolicy, ACollectionDelaysWhoWaitsForIo) {
  Player player = WarmSlo(40 * kMs);
  player.Busy(1);
  player.Event();
  player.Request(1, 1);
  player.Pass(200 * kUs);
  player.Idle();
  player.Pass(25 * kMs);
  player.Busy(1);
  player.Event();
  EXPECT_EQ(player.level(), Level::kLow);
  player.GcBegin(GcKind::kMarkSweepCompact);
  EXPECT_EQ(player.level(), Level::kHigh);
}

TEST(SloPolicy, DoesNotBoostForLessThanTwoTransitions) {
  PolicyConfig config = WithTarget(20 * kMs);
  config.transition_ns = 500 * kUs;
  Player player(MakeOrDie("slo", config));
  player.Requests(300, 1, 200 * kUs);
  player.Busy(1);
  player.Event();
  player.Request(1, 1, 30 * kMs);  // too late, but 200 us are left
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(SloPolicy, WithoutATargetLearnsOneFirst) {
  Player player(MakeOrDie("slo", PaperConfig()));
  player.Requests(150, 1, 200 * kUs);
  player.Busy(1'000);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Idle();
  player.Requests(300, 1, 200 * kUs);
  player.Busy(1'000);
  EXPECT_EQ(player.level(), Level::kHigh);
}

// More than the table holds, and none ever ends: no boost, then or later.
TEST(SloPolicy, SurvivesRequestsThatNeverEnd) {
  Player player = WarmSlo(20 * kMs);
  for (uint32_t i = 1; i < 2 * InFlight::kCapacity; ++i) {
    player.Busy(1);
    player.Event();
    player.Request(i, 1);
    player.Pass(200 * kUs);
    ASSERT_EQ(player.level(), Level::kLow) << i;
    player.Idle();
    player.Pass(100 * kUs);
  }
  player.Pass(1'000 * kMs);
  player.Busy(2);
  player.Event();
  player.GcBegin(GcKind::kMarkSweepCompact);  // somebody waits, but not long
  player.Pass(kMs);
  player.GcEnd(GcKind::kMarkSweepCompact);
  player.Event();
  EXPECT_EQ(player.level(), Level::kLow);
}

}  // namespace
}  // namespace edgewise
