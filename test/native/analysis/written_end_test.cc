// Requests whose last byte left before their end was told.

#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"
#include "test/native/analysis/trace_builder.h"

namespace edgewise {
namespace {

constexpr int64_t kUs = 1000;

// Request 1 is handled from 100 to 300 us; something else runs from 300 to 600;
// its end is told at 1050, within another event.
class WrittenEndTest : public ::testing::Test {
 protected:
  void SetUp() override {
    trace_.Meta();
    trace_.Start(100 * kUs, 1);
    made_ = trace_.Register();
    trace_.Event(100 * kUs, 300 * kUs, {.ready = 90 * kUs});
    trace_.Event(300 * kUs, 600 * kUs,
                 {.type = EventType::kTimer, .ready = 300 * kUs});
  }
  Json Told() {
    trace_.End(1050 * kUs, 1);
    trace_.Event(1000 * kUs, 1100 * kUs,
                 {.type = EventType::kImmediate, .ready = 700 * kUs});
    trace_.Finish(2000 * kUs);
    Json request = RequestOf(trace_, 1);
    ExpectSums(request);
    // The pass that only counts latencies says the same.
    EXPECT_EQ(ReportOf(trace_)["latency_ns"]["max"], request["latency_ns"]);
    return request;
  }

  TraceBuilder trace_;
  uint64_t made_ = 0;
};

TEST_F(WrittenEndTest, EndsInTheNodeThatWroteIt) {
  trace_.Written(200 * kUs, 100 * kUs, {.ready = 90 * kUs});
  const Json request = Told();
  EXPECT_EQ(request["latency_ns"], 110 * kUs);
  EXPECT_EQ(PathOf(request),
            (std::vector<StepTimes>{{"tcp_read", 0, 10 * kUs, 100 * kUs}}));
}

// As HTTP/2 does it: the session writes when all handlers have run.
TEST_F(WrittenEndTest, EndsInWhatRanForNobodyBehindWhatTheLoopDidBefore) {
  trace_.Written(650 * kUs, 640 * kUs,
                 {.type = EventType::kImmediate,
                  .ready = 80 * kUs,
                  .kind = ReadyKind::kDue});
  const Json request = Told();
  EXPECT_EQ(request["latency_ns"], 560 * kUs);
  EXPECT_EQ(PathOf(request),
            (std::vector<StepTimes>{{"tcp_read", 0, 10 * kUs, 200 * kUs},
                                    {"immediate", 0, 340 * kUs, 10 * kUs}}));
  EXPECT_TRUE(request["path"][1]["inferred"].get<bool>());
  EXPECT_EQ(request["path"][1]["blocked_by"][0]["what"], "(no request) timer");
}

// The client took nothing until the connection was writable.
TEST_F(WrittenEndTest, WhatItWasNotReadyForIsNoQueueing) {
  trace_.Written(650 * kUs, 640 * kUs,
                 {.type = EventType::kWrite, .ready = 500 * kUs, .id = made_});
  const Json request = Told();
  EXPECT_EQ(PathOf(request), (std::vector<StepTimes>{
                                 {"tcp_read", 0, 10 * kUs, 200 * kUs},
                                 {"write", 200 * kUs, 140 * kUs, 10 * kUs}}));
  EXPECT_FALSE(request["path"][1]["inferred"].get<bool>());
}

TEST_F(WrittenEndTest, WhatRanForItAfterwardsIsNoPartOfIt) {
  trace_.Event(600 * kUs, 700 * kUs,
               {.type = EventType::kTimer, .ready = 600 * kUs, .id = made_});
  trace_.Written(280 * kUs, 100 * kUs, {.ready = 90 * kUs});
  const Json request = Told();
  EXPECT_EQ(request["latency_ns"], 190 * kUs);
  EXPECT_EQ(PathOf(request),
            (std::vector<StepTimes>{{"tcp_read", 0, 10 * kUs, 180 * kUs}}));
}

TEST_F(WrittenEndTest, AWriteBeforeTheRequestWasAnothers) {
  trace_.Written(50 * kUs, 40 * kUs, {.ready = 30 * kUs});
  EXPECT_EQ(Told()["latency_ns"], 960 * kUs);
}

TEST_F(WrittenEndTest, NonsenseIsReportedAndTheEndIsItsOwn) {
  Record record{};
  record.kind = RecordKind::kWritten;
  record.ticks = trace_.Ticks(200 * kUs);
  record.duration = -1;
  trace_.Raw(record);
  EXPECT_EQ(Told()["latency_ns"], 960 * kUs);
  EXPECT_EQ(ReportOf(trace_)["problems"].size(), 1u);
}

}  // namespace
}  // namespace edgewise
