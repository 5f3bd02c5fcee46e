#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "recorder/event_tracker.h"
#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

// Plays a patched V8: numbers slices, writes down what it sees, is emptied by
// the tracker.
class FakeVm : public VmEvents {
 public:
  struct Noticed {
    enum Kind { kReaction, kEdge, kGc, kLost } kind;
    uint64_t ticks;
    uint32_t number;
    uint32_t source;
    uint32_t counter;
  };

  // A continuation of slice `source` begins: its number.
  uint32_t React(uint32_t source, uint32_t counter = 0) {
    running = next++;
    noticed.push_back({Noticed::kReaction, Ticks(), running, source, counter});
    return running;
  }
  void Call(uint32_t source, uint32_t counter = 0) {
    noticed.push_back({Noticed::kEdge, Ticks(), running, source, counter});
  }
  void Collect() { noticed.push_back({Noticed::kGc, Ticks(), 0, 0, 0}); }

  void Take(EventTracker* tracker) override {
    const std::vector<Noticed> taken = std::move(noticed);
    noticed.clear();
    for (const Noticed& one : taken) {
      switch (one.kind) {
        case Noticed::kReaction:
          tracker->SliceFromVm(one.ticks, one.number, one.source, one.counter);
          break;
        case Noticed::kEdge:
          tracker->EdgeFromVm(one.ticks, one.number, one.source,
                              EdgeKind::kClosure, one.counter);
          break;
        default:
          tracker->GcFromVm(GcType::kSweeping, one.ticks, one.ticks + 1, 0, 0);
          break;
      }
    }
    tracker->NumbersFromVm(next);
    tracker->TimesFromVm(std::exchange(jit, 0), std::exchange(ic, 0));
  }
  void Publish(uint32_t now, uint32_t then) override {
    running = now;
    next = then;
  }

  std::vector<Noticed> noticed;
  uint32_t running = 0;
  uint32_t next = 1;
  uint64_t jit = 0;
  uint64_t ic = 0;
};

class EventTrackerVmTest : public ::testing::Test {
 protected:
  void SetUp() override { Begin(); }

  void Begin() {
    RecorderConfig config;
    config.path = directory_.file();
    config.meta_json = "{}";
    config.first_sequence = EventTracker::FirstSequence(words_);
    auto recorder = Recorder::Start(config);
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    recorder_ = *std::move(recorder);
    tracker_ = std::make_unique<EventTracker>(recorder_.get(), nullptr,
                                              AsyncIds{ids_}, &words_, &vm_);
  }

  struct Loop {
    int64_t TimersDueNs() const { return -1; }
    int64_t NativeTimerDueNs() const { return -1; }
    bool NativeTimerBegan() const { return false; }
    bool FilesMayWrite(int) const { return false; }
    int PolledFd() const { return kNoFd; }
    bool InJavaScript() const { return false; }
  };

  // An event in which JavaScript runs under `id`; the slice's number.
  uint32_t Event(double id, EventType type = EventType::kTcpRead) {
    tracker_->PollBegin(Ticks());
    tracker_->PollEnd(/*waited=*/true, Ticks());
    tracker_->IoBegin(type, 7, false);
    ids_[0] = id;
    tracker_->EnterJs(loop_);
    ids_[0] = 0;
    return vm_.running;
  }
  std::vector<Record> Finish() {
    tracker_->Detach();
    recorder_->Stop();
    return directory_.Read().records;
  }

  TraceDirectory directory_;
  double ids_[4] = {0, 0, 100, -1};
  SharedWords words_{};
  Loop loop_;
  FakeVm vm_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<EventTracker> tracker_;
};

TEST_F(EventTrackerVmTest, ReactionsBecomeSlicesAndNumbersStayInStep) {
  const uint32_t first = Event(21);   // 1
  const uint32_t second = Event(22);  // 2
  const uint32_t read = Event(23);    // 3
  EXPECT_EQ(vm_.React(first), read + 1);
  EXPECT_EQ(vm_.React(second), read + 2);
  EXPECT_EQ(Event(24), read + 3);
  const auto records = Finish();
  ASSERT_EQ(records.size(), 6u);
  EXPECT_EQ(records[2].kind, RecordKind::kSlice);
  EXPECT_EQ(records[2].aux, read + 1 - first);
  EXPECT_EQ(records[3].aux, read + 2 - second);
  EXPECT_LE(records[2].ticks, records[3].ticks);
  EXPECT_EQ(records[4].kind, RecordKind::kEvent);
}

TEST_F(EventTrackerVmTest, ASliceKnowsTheCounterThatTheVmHasSeen) {
  const uint32_t first = Event(21);
  Event(22);
  vm_.React(first, 105);
  ids_[2] = 110;
  vm_.React(first, 110);
  const auto records = Finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(IdCounter(records[1]), 105u);
  EXPECT_EQ(IdCounter(records[2]), 110u);
}

TEST_F(EventTrackerVmTest, ATickOfTheRunningSliceIsNoSlice) {
  Event(21);
  tracker_->PartBegin(101);  // registered meanwhile
  tracker_->PartBegin(99);   // by an earlier event
  tracker_->PartBegin(99);
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, RecordKind::kSlice);
  EXPECT_EQ(AsyncId(records[0]), 99u);
}

TEST_F(EventTrackerVmTest, ARequestThatEndsBeforeAReactionIsWrittenBeforeIt) {
  const uint32_t source = Event(21);
  words_.begun_request = words_.next_request++;
  tracker_->Wrote(7, 100);
  words_.ended_request = 1;
  vm_.React(source);
  const auto records = Finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].kind, RecordKind::kRequestStart);
  EXPECT_EQ(records[1].kind, RecordKind::kRequestEnd);
  EXPECT_EQ(records[2].kind, RecordKind::kSlice);
}

TEST_F(EventTrackerVmTest, ARequestEndsWhereItDidHoweverLateTimesAreTold) {
  Event(21);
  words_.begun_request = words_.next_request++;
  tracker_->Wrote(7, 100);
  words_.ended_request = 1;
  vm_.jit = 5;
  const auto records = Finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[1].kind, RecordKind::kRequestEnd);
  EXPECT_EQ(records[2].kind, RecordKind::kTimes);
}

TEST_F(EventTrackerVmTest, ACollectionBeforeAnEventIsWrittenBeforeItsRequest) {
  Event(21);
  tracker_->PollBegin(Ticks());
  vm_.Collect();
  Event(22);
  words_.begun_request = words_.next_request++;
  vm_.Collect();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[1].kind, RecordKind::kGc);
  EXPECT_EQ(records[2].kind, RecordKind::kRequestStart);
  EXPECT_EQ(records[3].kind, RecordKind::kGc);
}

// Else what the continuation registers would be the new request's.
TEST_F(EventTrackerVmTest, ABeginningRequestLeavesReactionsTheirCounter) {
  const uint32_t source = Event(21);
  Event(22);
  words_.begun_request = words_.next_request++;
  vm_.React(source, 105);
  ids_[2] = 110;
  const auto records = Finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(IdCounter(records[1]), 100u);
  EXPECT_EQ(IdCounter(records[2]), 105u);
  EXPECT_EQ(IdCounter(records[3]), 110u);
}

TEST_F(EventTrackerVmTest, LostReactionsKeepTheirNumbers) {
  const uint32_t source = Event(21);
  vm_.next += 3;  // their edges found V8's ring full
  vm_.React(source);
  vm_.next += 2;
  const uint32_t after = Event(22);
  EXPECT_EQ(after, source + 3 + 1 + 2 + 1);
  const auto records = Finish();
  ASSERT_EQ(records.size(), 8u);
  EXPECT_EQ(records[0].aux, 0u);
  EXPECT_EQ(records[3].aux, 4u);
  EXPECT_EQ(records[5].aux, 0u);
}

TEST_F(EventTrackerVmTest, CallsCollectionsAndTimesLieInOrder) {
  const uint32_t source = Event(21);
  Event(22);
  vm_.Collect();
  vm_.Call(source);
  vm_.jit = 5;
  vm_.ic = 7;
  const auto records = Finish();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[1].kind, RecordKind::kGc);
  EXPECT_EQ(records[2].kind, RecordKind::kEdge);
  EXPECT_EQ(records[2].aux, 1u);
  EXPECT_EQ(records[3].kind, RecordKind::kTimes);
  EXPECT_EQ(records[3].duration, 5.0F);
  EXPECT_EQ(records[3].ready_before, 7.0F);
}

TEST_F(EventTrackerVmTest, WhatAcceptingLeavesBehindBelongsToNobody) {
  EXPECT_EQ(Event(21, EventType::kAccept), 0u);
  EXPECT_NE(Event(22), 0u);
  EXPECT_EQ(Event(23, EventType::kAccept), 0u);
  tracker_->RequestStart(RequestKind::kCustom);
  EXPECT_NE(vm_.running, 0u) << "but a request that it begins does";
}

TEST_F(EventTrackerVmTest, ANewRecordingGoesOnCounting) {
  const uint32_t before = Event(21);
  Finish();
  tracker_.reset();
  Begin();
  EXPECT_EQ(Event(22), before + 1);
  tracker_->Detach();
  recorder_->Stop();
  const auto headers = directory_.Read().headers;
  ASSERT_EQ(headers.size(), 6u) << "meta, records and end, twice";
  EXPECT_EQ(headers[3].first_sequence, before + 1);
}

TEST_F(EventTrackerVmTest, NumbersAreNeverNobodys) {
  constexpr uint64_t kModulus = EventTracker::kSequenceModulus;
  EXPECT_EQ(EventTracker::VmNumber(1), 1u);
  EXPECT_EQ(EventTracker::VmNumber(kModulus), kModulus);
  EXPECT_EQ(EventTracker::VmNumber(kModulus + 1), 1u);
}

TEST_F(EventTrackerVmTest, TheyStayInStepWhereTheyBeginAgain) {
  Finish();
  tracker_.reset();
  words_.sequence = static_cast<uint32_t>(EventTracker::kSequenceModulus) - 3;
  Begin();
  const uint32_t source = Event(21);
  for (int i = 0; i < 5; ++i) vm_.React(source);
  Event(22);
  vm_.React(source);
  const auto records = Finish();
  ASSERT_EQ(records.size(), 8u);
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(records[i].aux, i + 1);
  EXPECT_EQ(records[6].aux, 7u);
}

}  // namespace
}  // namespace edgewise
