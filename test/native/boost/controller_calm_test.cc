// What the loop's thread and the controller's leave each other: notes in the
// calm, the processor where there is only one.

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "platform/clock.h"
#include "platform/thread.h"
#include "test/native/boost/controller_kit.h"

namespace edgewise {
namespace {

TEST_F(ControllerTest, WhatIsNotedInTheCalmIsTakenBeforeWhatIsPosted) {
  patience_ns_ = kHeadNs;
  Start();
  Note(SignalKind::kLoopBusy, 3);
  Post(SignalKind::kEventBegin);
  for (int i = 0; i < 2; ++i) controller_->NoteBegin(Ticks());
  Post(SignalKind::kGcBegin, 1);
  controller_->NoteBegin(Ticks());
  controller_->stats();  // The lock, which the thread may have had.
  EXPECT_EQ(taken_, 6u) << "and once boosted, at once";
  EXPECT_EQ(asked_.last(), Level::kLow) << "the fake ends its boost then";
}

// A file that comes later in the batch is read: so many are left, and it is the
// next to begin. Both have one time.
TEST_F(ControllerTest, TheQueueIsKnownBeforeTheEventThatBeginsThen) {
  patience_ns_ = 1000 * kMs;
  Start();
  const uint64_t now = Ticks();
  controller_->Note(
      {.kind = SignalKind::kQueueLength, .value = 10, .now_ns = TickNs(now)});
  controller_->NoteBegin(now);
  Post(SignalKind::kLoopBusy, 1);
  controller_->stats();  // The lock, which the thread may have had.
  EXPECT_EQ(asked_.last(), Level::kLow) << "the fake ends its boost at a begin";
}

TEST_F(ControllerTest, AnEventThatWasOnlyNotedIsBoostedWhenItTakesLong) {
  patience_ns_ = kHeadNs;
  Start();
  for (int i = 0; i < 3; ++i) {
    Note(SignalKind::kLoopBusy, 2);
    Post(SignalKind::kEventBegin);
    SleepMs(1);
    const int64_t begin_ns = MonotonicTickNs();
    controller_->NoteBegin(Ticks());
    ASSERT_TRUE(Eventually(2 + 2 * i, Level::kHigh));
    EXPECT_GE(MonotonicTickNs() - begin_ns, kHeadNs);
    Note(SignalKind::kLoopIdle);
    EXPECT_EQ(asked_.last(), Level::kLow);
    SleepMs(2);
  }
}

// The longest time between two begins, in ns; of more begins than one patience.
int64_t BeginAll(Controller& controller) {
  int64_t last_ns = MonotonicTickNs();
  int64_t longest_ns = 0;
  for (int i = 0; i < 25; ++i) {
    SleepMs(1);
    controller.NoteBegin(Ticks());
    const int64_t now_ns = MonotonicTickNs();
    longest_ns = std::max(longest_ns, now_ns - std::exchange(last_ns, now_ns));
  }
  return longest_ns;
}

// The deadline of an event that has ended meanwhile is none: what is noted
// stays where it is, on the loop's processor.
TEST_F(ControllerTest, WhereEventsAreShortNothingIsTakenInTheCalm) {
  patience_ns_ = kHeadNs;
  Start();
  for (int attempt = 0; attempt < 10; ++attempt) {
    Post(SignalKind::kEventBegin);
    const uint64_t taken = taken_;
    const int64_t longest_ns = BeginAll(*controller_);
    controller_->stats();  // The lock.
    if (longest_ns < kHeadNs / 2) {
      EXPECT_EQ(taken_, taken);
      return;
    }
    Post(SignalKind::kLoopIdle);  // This thread was held up: once more.
  }
  GTEST_SKIP() << "this machine is too busy";
}

TEST_F(ControllerTest, MoreIsNotedThanItsQueueHolds) {
  patience_ns_ = kHeadNs;
  Start();
  for (int i = 0; i < 10'000; ++i) controller_->NoteBegin(Ticks());
  Post(SignalKind::kLoopIdle);
  const uint64_t dropped = controller_->stats().dropped_signals;
  EXPECT_GE(taken_ + dropped, 10'001u);
}

// A collection takes them first: its boost must not wait for hundreds.
TEST_F(ControllerTest, FewAreLeftForWhoComesNext) {
  patience_ns_ = 1000 * kMs;
  Start();
  for (int i = 0; i < 200; ++i) controller_->NoteBegin(Ticks());
  controller_->stats();  // The lock, which the thread may have had.
  EXPECT_GE(taken_, 160u);
}

// The thread has precedence (where this user may give it that), and here no
// other processor: when it finds the lock taken, the loop must get on.
TEST_F(ControllerTest, OnOneProcessorTheLoopGetsMostOfIt) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  Start();
  const int64_t began_ns = MonotonicTickNs();
  const int64_t cpu_began_ns = ThreadCpuNs();
  while (MonotonicTickNs() < began_ns + 1000 * kMs) {
    Post(SignalKind::kLoopBusy, 1);
    Post(SignalKind::kEventBegin);
    Post(SignalKind::kLoopIdle);
  }
  const int64_t loop_ns = ThreadCpuNs() - cpu_began_ns;
  const int64_t thread_ns = controller_->stats().cpu_ns;
  sched_setaffinity(0, sizeof(before), &before);
  EXPECT_GT(loop_ns, thread_ns);
}

}  // namespace
}  // namespace edgewise
