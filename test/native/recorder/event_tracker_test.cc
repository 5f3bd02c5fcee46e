#include "test/native/recorder/event_tracker_kit.h"

namespace edgewise {
namespace {

TEST_F(EventTrackerTest, AReadIsOneEventHoweverOftenJavaScriptIsEntered) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  tracker_->IoEnd(0);
  Js(21);  // headers
  Register(3);
  Js(21);  // message complete
  Js(0);   // ticks
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kTcpRead);
  EXPECT_EQ(FdOf(records[0]), 7);
  EXPECT_NE(records[0].aux & kFlagLoopSlept, 0u);
  EXPECT_EQ(AsyncId(records[0]), 21u);
  EXPECT_EQ(IdCounter(records[0]), 103u);
  EXPECT_EQ(ReadyKindOf(records[0]), ReadyKind::kObserved);
}

// A file system call that has failed makes its error first, then calls back.
TEST_F(EventTrackerTest, AWorkThatMakesAnObjectFirstIsOneEvent) {
  Poll();
  tracker_->WorkBegin(EventType::kFsStat, 0);
  Js(0);
  Js(21);
  tracker_->WorkEnd();
  Js(22);  // a write has completed: nobody said so
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kFsStat);
  EXPECT_EQ(AsyncId(records[0]), 21u);
  EXPECT_EQ(TypeOf(records[1]), EventType::kWrite);
  EXPECT_EQ(AsyncId(records[1]), 22u);
}

TEST_F(EventTrackerTest, WorkTellsWhenItWasTakenUp) {
  constexpr uint64_t kAgo = 1'000'000;
  Poll();
  const uint64_t now = Ticks();
  tracker_->WorkBegin(EventType::kFsRead, now - kAgo, /*stamped=*/true,
                      Work{.taken = now - 3 * kAgo, .name = 7, .threads = 4});
  Js(21);
  Js(0);
  tracker_->WorkEnd();
  tracker_->WorkBegin(EventType::kFsRead, now, /*stamped=*/true, Work{});
  tracker_->WorkEnd();  // without JavaScript
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, RecordKind::kWork);
  EXPECT_EQ(std::bit_cast<uint32_t>(records[0].duration), 7u);
  EXPECT_EQ(records[0].aux, 4u);
  EXPECT_EQ(records[0].ticks, records[1].ticks);
  const float taken_to_done = records[0].ready_before - records[1].ready_before;
  EXPECT_NEAR(taken_to_done, 2.0F * kAgo, 1000);
  EXPECT_EQ(ReadyKindOf(records[1]), ReadyKind::kCompleted);
}

TEST_F(EventTrackerTest, AQuestionIsWrittenOnceAStepAndOnceAnAnswer) {
  Connection connection{.number = 3, .role = ConnectionRole::kOpened};
  const auto write = [&] {
    if (tracker_->Asks(connection)) tracker_->PushQuestion(&connection, 5);
  };
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, false);
  Js(21);
  tracker_->ConnectionBegan(connection, 9, 4);
  write();
  write();  // more of the same question
  tracker_->SliceFromPromise(words_.sequence - 1);
  write();  // another step of somebody's
  connection.answered = true;
  write();  // another question
  Execute(40);
  write();  // a tick inside the slice
  tracker_->ConnectionEnded(connection);
  Execute(0);
  Poll();
  std::vector<Record> uses;
  for (const Record& record : Finish()) {
    if (record.kind == RecordKind::kConnection) {
      EXPECT_EQ(record.aux, 3u);
      EXPECT_EQ(std::bit_cast<uint32_t>(record.duration), 9u);
      EXPECT_EQ(std::bit_cast<uint32_t>(record.ready_before), 4u);
    }
    if (record.kind == RecordKind::kUse) uses.push_back(record);
  }
  ASSERT_EQ(uses.size(), 5u);
  EXPECT_EQ(uses[0].aux, 3u);
  EXPECT_EQ(std::bit_cast<uint32_t>(uses[0].ready_before), 5u);
  EXPECT_EQ(AsyncId(uses[3]), 40u);
  EXPECT_EQ(uses[4].type, static_cast<uint8_t>(UseKind::kClosed));
}

TEST_F(EventTrackerTest, ABoundaryWithoutJavaScriptIsNoEvent) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  tracker_->IoBegin(EventType::kTcpRead, 8, true);
  Poll();
  EXPECT_TRUE(Finish().empty());
}

TEST_F(EventTrackerTest, EachReadOfABatchIsAnEvent) {
  Poll();
  for (const int fd : {7, 8, 9}) {
    tracker_->IoBegin(EventType::kTcpRead, fd, true);
    Js(fd);
  }
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  for (size_t i = 0; i + 1 < records.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(records[i].ticks) + records[i].duration,
                static_cast<double>(records[i + 1].ticks), 64)
        << "no gap between events";
  }
}

TEST_F(EventTrackerTest, NativeCodeThatJavaScriptCallsEntersASliceOfItsOwn) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  loop_.in_javascript = true;
  Js(22);  // a parser that the stream's handler feeds
  loop_.in_javascript = false;
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, RecordKind::kSlice);
  EXPECT_EQ(AsyncId(records[0]), 22u);
  EXPECT_EQ(AsyncId(records[1]), 21u);
}

TEST_F(EventTrackerTest, TheKernelsTimeOfArrivalIsTheReadyTime) {
  Poll(/*waited=*/false);
  const ClockTriple arrival = ReadClocks();
  tracker_->IoBegin(EventType::kTcpRead, 7, false);
  tracker_->IoEnd(arrival.realtime_ns - 5'000'000);
  Js(21);
  tracker_->IoBegin(EventType::kTcpRead, 8, false);
  tracker_->IoEnd(0);  // the end of the stream: no bytes, no stamp
  Js(22);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(ReadyKindOf(records[0]), ReadyKind::kObserved);
  EXPECT_EQ(records[0].aux & kFlagLoopSlept, 0u);
  const double before_ns =
      static_cast<double>(records[0].ready_before) / TicksPerNs();
  const double later_ns =
      static_cast<double>(records[0].ticks - arrival.ticks) / TicksPerNs();
  EXPECT_NEAR(before_ns, 5e6 + later_ns, 50e3);
  EXPECT_EQ(ReadyKindOf(records[1]), ReadyKind::kUpperBound);
}

TEST_F(EventTrackerTest, ACompletionOnTheSameDescriptorIsAnEventOfItsOwn) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  loop_.files_may_write = true;
  Js(22);  // a write request finished
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(TypeOf(records[1]), EventType::kWrite);
  EXPECT_EQ(AsyncId(records[1]), 22u);
}

TEST_F(EventTrackerTest, OneReadMayHaveNewsForSeveral) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);  // HTTP/2: a stream
  Js(22);  // another
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(TypeOf(records[1]), EventType::kTcpRead);
  EXPECT_EQ(AsyncId(records[1]), 22u);
  EXPECT_EQ(FdOf(records[1]), 7);
  EXPECT_EQ(ReadyKindOf(records[1]), ReadyKind::kObserved);
}

TEST_F(EventTrackerTest, AnAcceptGetsItsResourceFromTheHandlerCall) {
  Poll();
  tracker_->IoBegin(EventType::kAccept, 5, true);
  Js(0);  // native code makes the connection's object
  Js(9);  // the server's handler
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kAccept);
  EXPECT_EQ(AsyncId(records[0]), 9u);
}

TEST_F(EventTrackerTest, ThePhasesAfterThePollAreToldApart) {
  Poll();
  tracker_->CheckBegin();
  Js(0);  // immediates
  Js(0);  // their ticks
  tracker_->CheckEnd(/*handles_close=*/true);
  Js(31);  // a close callback
  loop_.timers_due_ns = MonotonicNs() - 3'000'000;
  Js(0);  // timers
  loop_.timers_due_ns = -1;
  Js(0);   // their ticks
  Js(32);  // a write has completed, that one of them made
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kImmediate);
  EXPECT_EQ(TypeOf(records[1]), EventType::kClose);
  EXPECT_EQ(TypeOf(records[2]), EventType::kTimer);
  EXPECT_EQ(ReadyKindOf(records[2]), ReadyKind::kDue);
  EXPECT_GE(records[2].ready_before / TicksPerNs(), 3e6 * 0.999);
  EXPECT_EQ(TypeOf(records[3]), EventType::kWrite);
  EXPECT_EQ(ReadyKindOf(records[3]), ReadyKind::kUpperBound);
}

TEST_F(EventTrackerTest, NativeImmediatesAreEventsOfTheirOwn) {
  KnowDepth();
  Poll();
  tracker_->CheckBegin();
  Js(31, 2);  // a TLS write has completed
  Js(32, 2);
  Js(0);     // their ticks
  Js(0, 1);  // JavaScript's immediates
  Js(0);     // their ticks
  tracker_->CheckEnd(/*handles_close=*/false);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  for (const Record& record : records) {
    EXPECT_EQ(TypeOf(record), EventType::kImmediate);
    EXPECT_EQ(ReadyKindOf(record), ReadyKind::kDue);
  }
  EXPECT_EQ(AsyncId(records[0]), 31u);
  EXPECT_EQ(AsyncId(records[1]), 32u);
  EXPECT_EQ(AsyncId(records[2]), 0u);
}

// The loop has slept since: nothing was due before it woke.
TEST_F(EventTrackerTest, ALoopThatSleptHadNoImmediates) {
  Poll();
  tracker_->CheckBegin();
  tracker_->CheckEnd(false);
  tracker_->PollBegin(Ticks());
  SleepNs(5'000'000);
  tracker_->PollEnd(/*waited=*/true, Ticks());
  tracker_->CheckBegin();
  Js(31, 2);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_LT(records[0].ready_before / TicksPerNs(), 3e6);
}

TEST_F(EventTrackerTest, AResolversCallbackIsReadySinceItsAnswer) {
  const uint8_t message[12] = {0x12, 0x34};
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(21);
  Register(1);  // the query, 101
  tracker_->NameSent(9, /*stream=*/false, message, sizeof(message));
  Poll();
  tracker_->IoBegin(EventType::kUdpRead, 9, true);
  tracker_->IoEnd(0);
  tracker_->NameReceived(9, message, sizeof(message));
  const uint64_t answered = Ticks();
  tracker_->IoBegin(EventType::kTcpRead, 8, true);
  Js(22);
  SleepNs(5'000'000);
  tracker_->CheckBegin();
  Js(101, 2);
  tracker_->CheckEnd(false);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(TypeOf(records[2]), EventType::kDns);
  EXPECT_EQ(AsyncId(records[2]), 101u);
  EXPECT_EQ(ReadyKindOf(records[2]), ReadyKind::kObserved);
  const double ready = static_cast<double>(records[2].ticks) -
                       static_cast<double>(records[2].ready_before);
  EXPECT_NEAR(ready / TicksPerNs(),
              static_cast<double>(answered) / TicksPerNs(), 1e6);
}

TEST_F(EventTrackerTest, OneWakeUpBringsSeveralMessages) {
  KnowDepth();
  Poll();
  tracker_->IoBegin(EventType::kMessage, 5, true);
  tracker_->IoEnd(0);
  Js(31, 1);  // a port
  Js(0);      // its ticks
  Js(32, 1);  // another port
  tracker_->WorkBegin(EventType::kFsRead, 0);
  Js(33, 1);
  tracker_->WorkEnd();
  Js(0, 1);  // the platform's tasks
  tracker_->WorkBegin(EventType::kFsRead, 0);
  tracker_->WorkEnd();  // without JavaScript
  Js(34, 1);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kMessage);
  EXPECT_EQ(ReadyKindOf(records[0]), ReadyKind::kObserved);
  EXPECT_EQ(TypeOf(records[1]), EventType::kMessage);
  EXPECT_EQ(ReadyKindOf(records[1]), ReadyKind::kUpperBound);
  EXPECT_EQ(TypeOf(records[2]), EventType::kFsRead);
  EXPECT_EQ(TypeOf(records[3]), EventType::kMessage);
  EXPECT_EQ(TypeOf(records[4]), EventType::kMessage);
}

TEST_F(EventTrackerTest, AFileThatAnAddonReadsItselfIsPolled) {
  Poll();
  loop_.polled_fd = 11;
  Js(0);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kPoll);
  EXPECT_EQ(FdOf(records[0]), 11);
}

TEST_F(EventTrackerTest, NestedEntriesBelongToTheRunningEvent) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Execute(21);
  tracker_->EnterJs(loop_);
  loop_.in_javascript = true;
  tracker_->EnterJs(loop_);  // JavaScript, C++, JavaScript
  Poll();
  EXPECT_EQ(Finish().size(), 1u);
}

TEST_F(EventTrackerTest, AChildsEndIsToldFromOtherSignals) {
  Poll();
  tracker_->IoBegin(EventType::kSignal, 3, true);
  tracker_->SignalsRead(-1);
  Js(13);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kChild);
}

TEST_F(EventTrackerTest, SignalsThatAreReadAtOnceAreEventsOfTheirOwn) {
  constexpr int64_t kChildSignalChildren = ~int64_t{2};
  Poll();
  tracker_->IoBegin(EventType::kSignal, 3, true);
  tracker_->SignalsRead(kChildSignalChildren);
  for (const double id : {13, 14, 15, 16}) Js(id);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(TypeOf(records[0]), EventType::kChild);
  EXPECT_EQ(TypeOf(records[1]), EventType::kSignal);
  EXPECT_EQ(TypeOf(records[2]), EventType::kChild);
  EXPECT_EQ(TypeOf(records[3]), EventType::kChild);
  for (const Record& record : records) {
    EXPECT_EQ(ReadyKindOf(record), ReadyKindOf(records[0]));
  }
}

TEST_F(EventTrackerTest, IdsBeyond32BitsSurvive) {
  Register(0x1'0000'0000);
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 7, true);
  Js(0x1'0000'0007);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(AsyncId(records[0]), 0x1'0000'0007u);
  EXPECT_EQ(IdCounter(records[0]), 0x1'0000'0000u + 100);
}

}  // namespace
}  // namespace edgewise
