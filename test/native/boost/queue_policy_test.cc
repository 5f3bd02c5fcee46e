#include <gtest/gtest.h>

#include "boost/policy/queue_boost.h"
#include "test/native/boost/policy_kit.h"

namespace edgewise {
namespace {

// A warm policy: batches of four events of a millisecond, that is lengths 3 2 1
// 0, in the mean 1.5; a poll finds an event half a millisecond old. The
// thresholds are 3.75 events and 1.25 ms.
Player Warm(const PolicyConfig& config = {}) {
  Player player(MakeOrDie("queue", config));
  for (int i = 0; i < 300; ++i) player.Batch(4, kMs);
  EXPECT_EQ(player.level(), Level::kLow);
  return player;
}

TEST(QueuePolicy, BoostsWhileTheQueueIsLong) {
  Player player = Warm();
  player.Busy(4);
  EXPECT_EQ(player.level(), Level::kHigh);  // more than 3.75
  EXPECT_EQ(player.reason(), Reason::kQueue);
  player.Idle();
  EXPECT_EQ(player.level(), Level::kLow);
  player.Busy(3);
  EXPECT_EQ(player.level(), Level::kLow);
}

// Lengths 19 to 0: 9.5 in the mean, its threshold 23.75, nine tenths of
// it 21.4.
TEST(QueuePolicy, StaysUntilTheLengthIsBelowNineTenthsOfTheThreshold) {
  Player player(MakeOrDie("queue"));
  for (int i = 0; i < 300; ++i) player.Batch(20, kMs);
  player.Busy(23);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Look(24);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.Look(22);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.Look(21);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Look(22);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(QueuePolicy, TakesALookAsTheLength) {
  Player player = Warm();
  player.Busy(1);
  player.Event();
  player.Look(6);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.Look(1);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(QueuePolicy, TwoEventsAreNoLongQueue) {
  Player player(MakeOrDie("queue"));
  for (int i = 0; i < 200; ++i) player.Batch(1, kMs);
  player.Busy(2);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Idle();
  player.Busy(3);
  EXPECT_EQ(player.level(), Level::kHigh);
}

TEST(QueuePolicy, BoostsALongHeadAtItsDeadline) {
  Player player = Warm();
  player.Busy(1);
  player.Event();
  EXPECT_EQ(player.policy().next_deadline_ns(), player.now_ns() + 1250 * kUs);
  player.Pass(1249 * kUs);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Pass(kUs);
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_EQ(player.reason(), Reason::kHead);
  EXPECT_EQ(player.policy().next_deadline_ns(), kNever);
  player.Look(0);
  EXPECT_EQ(player.level(), Level::kHigh);  // until the event ends
  player.Event();
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(QueuePolicy, AnySignalAfterTheDeadlineBoostsTheHead) {
  Player player = Warm();
  player.Busy(1);
  player.Event();
  const int64_t deadline_ns = player.policy().next_deadline_ns();
  player.policy().On({.kind = SignalKind::kGcEnd, .now_ns = deadline_ns});
  EXPECT_EQ(player.reason(), Reason::kHead);
}

TEST(QueuePolicy, ACollectionInsideAnEventCountsToTheHead) {
  Player player = Warm();
  player.Busy(1);
  player.Event();
  player.Pass(10 * kUs);
  player.GcBegin();
  player.Pass(3 * kMs);
  EXPECT_EQ(player.reason(), Reason::kHead);
}

TEST(QueuePolicy, AHeadIsNotLongBelowTheLeastTimes) {
  Player quick(MakeOrDie("queue"));
  for (int i = 0; i < 100; ++i) quick.Batch(1, kUs);
  quick.Event();
  EXPECT_EQ(quick.policy().next_deadline_ns(), quick.now_ns() + 500 * kUs);

  PolicyConfig slow;
  slow.transition_ns = 5 * kMs;
  Player player = Warm(slow);
  player.Event();
  EXPECT_EQ(player.policy().next_deadline_ns(), player.now_ns() + 10 * kMs);
}

TEST(QueuePolicy, TakesItsFactors) {
  PolicyConfig config;
  config.queue_factor = 10;
  config.head_factor = 4;
  Player player = Warm(config);
  player.Busy(14);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Look(16);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.Idle();
  player.Event();
  EXPECT_EQ(player.policy().next_deadline_ns(), player.now_ns() + 2 * kMs);
}

TEST(QueuePolicy, DoesNothingBeforeItIsWarm) {
  Player player(MakeOrDie("queue"));
  for (uint32_t i = 0; i < QueueBoost::kWarmUp; ++i) {
    player.Busy(100);
    player.Event();
    EXPECT_EQ(player.policy().next_deadline_ns(), kNever);
    player.Pass(i % 2 == 0 ? kUs : 10 * kMs);
    EXPECT_EQ(player.level(), Level::kLow);
    player.Idle();
  }
  player.Event();
  EXPECT_NE(player.policy().next_deadline_ns(), kNever);
}

TEST(QueuePolicy, ABurstDoesNotRaiseTheAverageMuch) {
  Player player = Warm();
  player.Busy(200);
  for (int i = 0; i < 200; ++i) {
    player.Event();
    player.Pass(100 * kUs);
  }
  player.Idle();
  player.Busy(6);
  EXPECT_EQ(player.level(), Level::kHigh);
}

TEST(QueuePolicy, ALoadThatStaysBecomesUsual) {
  Player player = Warm();
  for (int i = 0; i < 4000; ++i) {
    player.Busy(10);
    player.Event();
    player.Pass(kMs);
  }
  player.Busy(10);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Event();
  player.Pass(kMs);
  EXPECT_EQ(player.level(), Level::kLow);
}

// Beside many short events the long ones that take most of the time are usual.
TEST(QueuePolicy, EventsWeighByTheirTime) {
  Player player(MakeOrDie("queue"));
  for (int i = 0; i < 50; ++i) {
    player.Batch(9, 100 * kUs);
    player.Batch(1, 10 * kMs);
  }
  player.Busy(1);
  player.Event();
  // (9 x 0.1^2 + 10^2) / 2 (9 x 0.1 + 10) = 4.59 ms
  EXPECT_NEAR(
      static_cast<double>(player.policy().next_deadline_ns() - player.now_ns()),
      2.5 * 4.591e6, 1e4);
}

TEST(QueuePolicy, OneStopOfTheLoopHidesLittle) {
  Player player = Warm();
  player.Batch(1, 10'000 * kMs);
  player.Busy(1);
  player.Event();
  player.Pass(3 * kMs);
  EXPECT_EQ(player.reason(), Reason::kHead);
}

TEST(QueuePolicy, MoreEventsThanAnnouncedDoNoHarm) {
  Player player = Warm();
  player.Busy(1);
  for (int i = 0; i < 10; ++i) {
    player.Event();
    player.Pass(kUs);
    EXPECT_EQ(player.level(), Level::kLow);
  }
}

}  // namespace
}  // namespace edgewise
