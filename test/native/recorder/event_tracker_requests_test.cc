#include "test/native/recorder/event_tracker_kit.h"

namespace edgewise {
namespace {

TEST_F(EventTrackerTest, ATimerSeenInsideAPassIsASliceOfItsOwn) {
  Poll();
  tracker_->CheckBegin();
  loop_.timers_due_ns = MonotonicNs();
  Execute(0);
  tracker_->EnterJs(loop_);
  Execute(55);  // the pass runs a timer's callback
  tracker_->SliceFromAsyncId();
  Execute(0);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, RecordKind::kSlice);
  EXPECT_EQ(AsyncId(records[0]), 55u);
  EXPECT_EQ(records[0].aux, 0u);
  EXPECT_EQ(TypeOf(records[1]), EventType::kTimer);
}

TEST_F(EventTrackerTest, SlicesNameTheirCauseByDistance) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  const double first = words_.sequence;
  tracker_->IoBegin(EventType::kTcpRead, 8, true);
  Js(22);
  const double second = words_.sequence;
  EXPECT_EQ(second, first + 1);
  tracker_->SliceFromPromise(static_cast<uint64_t>(first));
  EXPECT_EQ(words_.sequence, second + 1);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].kind, RecordKind::kSlice);
  EXPECT_EQ(records[1].aux, 2u) << "two numbers back";
}

TEST_F(EventTrackerTest, ARequestIsNamedByItsEnd) {
  const uint32_t route = recorder_->InternString("GET /");
  tracker_->WantLatencies();
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  const uint32_t request = tracker_->RequestStart(RequestKind::kHttp1);
  EXPECT_GT(tracker_->RequestEnd(request, route, 200, Outcome::kFinished), 0u);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].kind, RecordKind::kRequestStart);
  EXPECT_EQ(records[0].aux, request);
  EXPECT_EQ(records[1].kind, RecordKind::kRequestEnd);
  EXPECT_EQ(std::bit_cast<uint32_t>(records[1].duration), route);
  EXPECT_EQ(std::bit_cast<uint32_t>(records[1].ready_before), 200u);
}

// Plays response.end(): the words that it leaves after its write.
void LeaveEnd(uint32_t request, uint32_t route, SharedWords* words) {
  words->ended_request = request;
  words->ended_route = route;
  words->ended_status = 201;
}

TEST_F(EventTrackerTest, ARequestEndsWithTheWriteBeforeItWasLeft) {
  const uint32_t route = recorder_->InternString("GET /");
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  words_.begun_request = words_.next_request++;
  Register(3);
  tracker_->Wrote(7, 100);
  EXPECT_NE(words_.written, 0u);
  const uint64_t written = Ticks();
  LeaveEnd(1, route, &words_);
  Register(5);  // the handler goes on
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].kind, RecordKind::kRequestStart);
  EXPECT_EQ(records[0].ticks, records[2].ticks) << "as of the event's begin";
  EXPECT_EQ(records[1].kind, RecordKind::kRequestEnd);
  EXPECT_EQ(records[1].aux, 1u);
  EXPECT_EQ(std::bit_cast<uint32_t>(records[1].duration), route);
  EXPECT_EQ(std::bit_cast<uint32_t>(records[1].ready_before), 201u);
  EXPECT_LE(records[1].ticks, written);
  EXPECT_LE(IdCounter(records[0]), 103u) << "the counter goes forward only";
  EXPECT_EQ(IdCounter(records[1]), 103u);
  EXPECT_EQ(IdCounter(records[2]), 108u);
  EXPECT_EQ(words_.ended_request, SharedWords::kNoRequest);
}

TEST_F(EventTrackerTest, AnEndThatWasLeftComesBeforeTheNextWriteAndRecord) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  words_.begun_request = 1;
  tracker_->Wrote(7, 100);
  LeaveEnd(1, 0, &words_);
  tracker_->Wrote(7, 100);
  LeaveEnd(2, 0, &words_);
  const uint64_t before_gc = Ticks();
  tracker_->Gc(GcType::kScavenge, 0, before_gc, before_gc + 1);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].kind, RecordKind::kRequestStart);
  EXPECT_EQ(records[1].kind, RecordKind::kRequestEnd);
  EXPECT_EQ(records[1].aux, 1u);
  EXPECT_EQ(records[2].aux, 2u);
  EXPECT_LT(records[1].ticks, records[2].ticks);
  EXPECT_LE(records[2].ticks, before_gc);
  EXPECT_EQ(records[3].kind, RecordKind::kGc);
}

TEST_F(EventTrackerTest, WhatIsRecordedAfterAWriteMakesItTheLastNoMore) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  tracker_->Wrote(7, 100);
  tracker_->Gc(GcType::kScavenge, 0, Ticks(), Ticks());
  EXPECT_EQ(words_.written, 0u);
  tracker_->Wrote(7, 100);
  tracker_->SliceFromPromise(0);
  EXPECT_EQ(words_.written, 0u);
}

TEST_F(EventTrackerTest, AnEndThatMustBeToldIsNotTakenForOneThatWasLeft) {
  tracker_->WantLatencies();
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  tracker_->Wrote(7, 100);
  Poll();
  EXPECT_EQ(Finish().size(), 1u);
  EXPECT_EQ(words_.ended_request, SharedWords::kMustCall);
}

TEST_F(EventTrackerTest, TheSecondRequestOfAReadRunsInItsOwnSlice) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  tracker_->RequestStart(RequestKind::kHttp1);
  tracker_->RequestStart(RequestKind::kHttp1);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[1].kind, RecordKind::kSlice);
  EXPECT_EQ(records[2].kind, RecordKind::kRequestStart);
}

TEST_F(EventTrackerTest,
       WithoutAWatcherReadyTimesFoundWithoutWaitingAreBounds) {
  Poll(/*waited=*/false);
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(ReadyKindOf(records[0]), ReadyKind::kUpperBound);
}

}  // namespace
}  // namespace edgewise
