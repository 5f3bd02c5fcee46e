// Timers that are not Node's: an addon's, and delayed tasks of the platform.

#include "test/native/recorder/event_tracker_kit.h"

namespace edgewise {
namespace {

TEST_F(EventTrackerTest, WithoutAHandleThatClosesThereIsNoCloseCallback) {
  Poll();
  tracker_->CheckBegin();
  tracker_->CheckEnd(/*handles_close=*/false);
  loop_.native_due_ns = MonotonicNs() - 2'000'000;
  Js(31);  // an addon's own timer
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kTimer);
  EXPECT_EQ(AsyncId(records[0]), 31u);
  EXPECT_GE(records[0].ready_before / TicksPerNs(), 2e6 * 0.999);
}

// A delayed task of the platform enters JavaScript for its microtasks only.
TEST_F(EventTrackerTest, ATickAfterAnotherTimerBeganIsThatTimers) {
  KnowDepth();
  Poll();
  tracker_->CheckBegin();
  tracker_->CheckEnd(/*handles_close=*/false);
  loop_.timers_due_ns = MonotonicNs() - 3'000'000;
  Js(0, 1);
  loop_.timers_due_ns = -1;
  Js(0);  // Node's timer's own tick
  loop_.native_due_ns = MonotonicNs() - 2'000'000;
  loop_.native_began = true;
  Js(0);
  loop_.native_began = false;
  Js(0);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kTimer);
  EXPECT_EQ(TypeOf(records[1]), EventType::kTimer);
  EXPECT_GE(records[1].ready_before / TicksPerNs(), 2e6 * 0.999);
  EXPECT_LT(records[1].ready_before / TicksPerNs(), 3e6);
}

// A task of the platform resolves a promise, and V8 runs what waited for it.
TEST_F(EventTrackerTest, AContinuationThatNothingEntersForIsAnEvent) {
  Poll();
  Js(31);
  const uint32_t stamp = words_.sequence;
  tracker_->CheckBegin();
  tracker_->CheckEnd(/*handles_close=*/false);
  EXPECT_NE(words_.sequence, stamp);
  loop_.native_due_ns = MonotonicNs() - 2'000'000;
  tracker_->EnterContinuation(loop_);
  tracker_->SliceFromPromise(stamp);
  tracker_->EnterContinuation(loop_);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].kind, RecordKind::kSlice);
  EXPECT_EQ(records[1].aux, 2u);
  EXPECT_EQ(TypeOf(records[2]), EventType::kTimer);
  EXPECT_GE(records[2].ready_before / TicksPerNs(), 2e6 * 0.999);
}

}  // namespace
}  // namespace edgewise
