// Ends that are told later than the write, or before it.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "recorder/event_tracker.h"
#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

class EventTrackerEndsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecorderConfig config;
    config.path = directory_.file();
    config.meta_json = "{}";
    auto recorder = Recorder::Start(config);
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    recorder_ = *std::move(recorder);
    tracker_ = std::make_unique<EventTracker>(recorder_.get(), nullptr,
                                              AsyncIds{ids_}, &words_);
  }
  struct Loop {
    static int64_t TimersDueNs() { return -1; }
    static int64_t NativeTimerDueNs() { return -1; }
    static bool NativeTimerBegan() { return false; }
    static bool FilesMayWrite(int) { return false; }
    static int PolledFd() { return kNoFd; }
    static bool InJavaScript() { return false; }
  };
  void Js(double id) {
    ids_[0] = id;
    tracker_->EnterJs(loop_);
    ids_[0] = 0;
  }
  void Poll() {
    tracker_->PollBegin(Ticks());
    tracker_->PollEnd(/*waited=*/true, Ticks());
  }
  // Request 1 begins in a read of `fd`.
  void Read(int fd) {
    Poll();
    tracker_->IoBegin(EventType::kTcpRead, fd, true);
    Js(21);
    tracker_->RequestStart(RequestKind::kHttp2);
  }
  std::vector<Record> Finish() {
    tracker_->Detach();
    recorder_->Stop();
    return directory_.Read().records;
  }
  static std::vector<RecordKind> KindsOf(const std::vector<Record>& records) {
    std::vector<RecordKind> kinds;
    for (const Record& record : records) kinds.push_back(record.kind);
    return kinds;
  }
  static uint64_t EndOf(const Record& record) {
    return record.ticks + static_cast<uint64_t>(record.duration);
  }

  TraceDirectory directory_;
  double ids_[4] = {0, 0, 100, -1};
  SharedWords words_{};
  Loop loop_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<EventTracker> tracker_;
};

using enum RecordKind;

TEST_F(EventTrackerEndsTest, AnEndThatIsToldLaterNamesItsWrite) {
  Read(7);
  tracker_->Wrote(7, 100);
  tracker_->Wrote(8, 100);
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 9, true);
  Js(30);
  tracker_->RequestEndWritten(1, 0, 200, 7);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(KindsOf(records), (std::vector{kRequestStart, kEvent, kWritten,
                                           kRequestEnd, kEvent}));
  const Record& written = records[2];
  EXPECT_GE(written.ticks, records[0].ticks);
  EXPECT_LE(written.ticks, EndOf(records[1]) + 64);
  EXPECT_EQ(written.type, static_cast<uint8_t>(EventType::kTcpRead));
  EXPECT_NEAR(static_cast<double>(written.ticks) - written.duration,
              static_cast<double>(records[1].ticks), 64);
  EXPECT_GE(records[3].ticks, records[4].ticks) << "old readers' end";
}

TEST_F(EventTrackerEndsTest, AnEndThatIsToldAtOnceNeedsNoMore) {
  Read(7);
  tracker_->Wrote(7, 100);
  tracker_->RequestEndWritten(1, 0, 200, 7);
  Poll();
  EXPECT_EQ(KindsOf(Finish()),
            (std::vector{kRequestStart, kRequestEnd, kEvent}));
}

TEST_F(EventTrackerEndsTest, AWriteOfAnEarlierConnectionIsNone) {
  Poll();
  tracker_->Wrote(7, 100);
  tracker_->Accepted(7);
  Read(7);
  tracker_->RequestEndWritten(1, 0, 200, 7);
  tracker_->RequestEndWritten(2, 0, 200, -1);
  tracker_->RequestEndWritten(3, 0, 200, 1 << 30);
  Poll();
  EXPECT_EQ(KindsOf(Finish()), (std::vector{kRequestStart, kRequestEnd,
                                            kRequestEnd, kRequestEnd, kEvent}));
}

// As HTTP/2 writes an answer without a body: natively, after the handlers.
TEST_F(EventTrackerEndsTest, AnAwaitedEndIsThatOfTheNextWrite) {
  Read(7);
  tracker_->RequestEndAwaited(1, 0, 200, 7);
  tracker_->Wrote(8, 100);
  tracker_->CheckBegin();
  tracker_->Wrote(7, 100);
  tracker_->Wrote(7, 100);
  Js(30);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(KindsOf(records),
            (std::vector{kRequestStart, kEvent, kRequestEnd, kEvent, kEvent}));
  EXPECT_EQ(records[3].type, static_cast<uint8_t>(EventType::kImmediate));
  EXPECT_NEAR(static_cast<double>(records[2].ticks),
              static_cast<double>(EndOf(records[3])), 64);
  EXPECT_NEAR(static_cast<double>(records[4].ticks),
              static_cast<double>(EndOf(records[3])), 64);
}

TEST_F(EventTrackerEndsTest, AnAwaitedEndThatDoesNotComeIsAborted) {
  Read(7);
  tracker_->RequestEndAwaited(1, 0, 200, 7);
  tracker_->RequestEndLost(1);
  tracker_->RequestEndLost(1);
  tracker_->Wrote(7, 100);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(KindsOf(records),
            (std::vector{kRequestStart, kRequestEnd, kEvent}));
  EXPECT_EQ(records[1].type, static_cast<uint8_t>(Outcome::kAborted));
}

TEST_F(EventTrackerEndsTest, MoreThanCanBeAwaitedEndAtOnce) {
  Read(7);
  const auto more = static_cast<uint32_t>(AwaitedEnds::kMost) + 1;
  for (uint32_t request = 1; request <= more; ++request) {
    tracker_->RequestEndAwaited(request, 0, 200, 7);
  }
  tracker_->Wrote(7, 100);
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 2 + more);
  EXPECT_EQ(records[1].aux, more);
}

TEST_F(EventTrackerEndsTest, ARequestOfHttp2IsToldByItsStream) {
  Poll();
  tracker_->IoBegin(EventType::kTcpRead, 9, true);
  Js(21);
  tracker_->RequestStart(RequestKind::kHttp2, /*stream=*/77);
  const std::vector<Record> records = Finish();
  const auto start =
      std::find_if(records.begin(), records.end(), [](const Record& record) {
        return record.kind == RecordKind::kRequestStart;
      });
  ASSERT_NE(start, records.end());
  EXPECT_EQ(std::bit_cast<uint32_t>(start->duration), 77u);
}

}  // namespace
}  // namespace edgewise
