#include "analysis/graph/critical_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

// Each rule of the model on the smallest trace that shows it, with exact times.

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kFs = EventType::kFsRead;
constexpr auto kTimer = EventType::kTimer;

TEST(CriticalPathTest, OneEventIsSourceAndSink) {
  TraceBuilder t;
  t.Meta().Start(160, 1).End(240, 1);
  t.Event(150, 250, {kRead, 100, 5});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["latency_ns"], 140);
  EXPECT_EQ(request["start_ns"], TraceBuilder::kBaseNs + 100);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 50, 90}));
}

TEST(CriticalPathTest, FileRead) {
  TraceBuilder t;
  t.Meta().Start(160, 1);
  const uint64_t id = t.Register();
  t.Event(150, 250, {kRead, 100, 5});
  t.Event(260, 400, {kTimer, 255, 7});
  t.End(450, 1);
  t.Event(400, 500, {kFs, 300, id});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 50, 100},
                                           StepTimes{"fs_read", 50, 100, 50}));
  EXPECT_EQ(request["nodes"][1]["parent"], 0);
  EXPECT_EQ(request["nodes"][1]["inferred"], false);
}

TEST(CriticalPathTest, TimerIsIoUntilDueAndQueueAfter) {
  TraceBuilder t;
  t.Meta().Start(100, 1);
  const uint64_t timer = t.Register();
  t.Event(100, 200, {kRead, 100, 5});
  t.Event(900, 1300, {kRead, 890, 6});
  t.End(1350, 1);
  t.Event(1300, 1400, {kTimer, 1200, timer, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 100},
                                           StepTimes{"timer", 1000, 100, 50}));
  EXPECT_EQ(request["path"][1]["ready_kind"], "due");
}

// Each timer of a pass was due at a time of its own, some while the pass ran.
TEST(CriticalPathTest, TimersOfOnePassAreDueEachAtItsTime) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  t.Start(20, 2);
  const uint64_t second = t.Register();
  t.Event(20, 30, {kRead, 20, 5});
  t.Slice(205, 0, first, 100);
  t.End(240, 1);
  t.Slice(250, 0, second, 230);
  t.End(260, 2);
  t.Event(200, 300, {kTimer, 100, 0, ReadyKind::kDue});
  const Json one = RequestOf(t, 1);
  ExpectSums(one);
  EXPECT_THAT(PathOf(one), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                       StepTimes{"timer", 90, 100, 40}));
  const Json two = RequestOf(t, 2);
  ExpectSums(two);
  EXPECT_THAT(PathOf(two), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                       StepTimes{"timer", 200, 20, 10}));
}

// Nor does one immediate follow another that a different step has set.
TEST(CriticalPathTest, AnImmediateFollowsWhoSetItNotTheOneBeforeIt) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  const uint64_t timer = t.Register();
  t.Event(20, 30, {kRead, 20, first});
  const uint64_t second = t.Register();
  t.Event(40, 90, {kTimer, 40, timer, ReadyKind::kDue});
  t.Slice(100, 0, timer);
  t.Slice(120, 0, second);
  t.End(130, 1);
  t.Event(100, 140, {EventType::kImmediate, 90, 0, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"tcp_read", 10, 0, 10},
                                           StepTimes{"timer", 10, 0, 50},
                                           StepTimes{"immediate", 0, 30, 10}));
}

// The second of two timers of a request does not follow the first.
TEST(CriticalPathTest, ATimerFollowsWhoSetItNotTheTimerBeforeIt) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.Register();
  const uint64_t second = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  t.Slice(200, 0, first, 150);
  t.Slice(220, 0, second, 210);
  t.End(230, 1);
  t.Event(200, 300, {kTimer, 150, 0, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"timer", 200, 10, 10}));
}

TEST(CriticalPathTest, ChainOfThreeEvents) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t open = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  const uint64_t read = t.Register();
  t.Event(30, 40, {EventType::kFsOpen, 25, open});
  const uint64_t close = t.Register();
  t.Event(70, 80, {kFs, 60, read});
  t.End(95, 1);
  t.Event(90, 100, {EventType::kFsClose, 85, close});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"fs_open", 15, 5, 10},
                                           StepTimes{"fs_read", 20, 10, 10},
                                           StepTimes{"fs_close", 5, 5, 5}));
}

// The parent runs on after it has registered; what was ready meanwhile queues
// from the parent's end.
TEST(CriticalPathTest, ReadyBeforeTheParentEnds) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t read = t.Register();
  t.Event(0, 100, {kRead, 0, 5});
  t.End(160, 1);
  t.Event(150, 200, {kFs, 40, read});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 100},
                                           StepTimes{"fs_read", 0, 50, 10}));
}

// One read of a pooled socket resumes three requests. What comes before the
// first slice is the work of resuming, and counts for each; the slices of the
// others are queueing.
TEST(CriticalPathTest, PooledReadIsSplitBySlices) {
  TraceBuilder t;
  t.Meta();
  uint64_t awaits[4];
  for (uint32_t id = 1; id <= 3; ++id) {
    const int64_t at = 100 * id;
    t.Start(at, id);
    awaits[id] = t.Event(at, at + 50, {kRead, at, 5 + id});
  }
  for (uint32_t id = 1; id <= 3; ++id) {
    const int64_t at = 1000 + 20 * id;
    t.Slice(at, awaits[id]);
    t.End(at + 15, id, "GET /" + std::to_string(id));
  }
  t.Event(1000, 1080, {kRead, 900, 3});
  for (uint32_t id = 1; id <= 3; ++id) {
    const Json request = RequestOf(t, id);
    ExpectSums(request);
    const int64_t parent_end = 100 * id + 50;
    EXPECT_THAT(PathOf(request),
                ElementsAre(StepTimes{"tcp_read", 0, 0, 50},
                            StepTimes{"tcp_read", 900 - parent_end,
                                      100 + 20 * (id - 1), 20 + 15}));
    EXPECT_EQ(request["path"][1]["slice"], true);
  }
}

// Promise.all is registered by the source and resolved by the last read.
TEST(CriticalPathTest, PromiseAllJoinsAtTheLast) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.Register();
  const uint64_t second = t.Register();
  const uint64_t source = t.Event(0, 10, {kRead, 0, 5});
  t.Event(50, 60, {kFs, 45, first});
  t.Slice(105, source);
  t.End(108, 1);
  t.Event(100, 110, {kFs, 90, second});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"fs_read", 80, 10, 5},
                                           StepTimes{"fs_read", 0, 0, 3}));
  EXPECT_EQ(request["path"][2]["ready_kind"], "resolved");
  EXPECT_EQ(request["nodes"][1]["on_path"], false);
}

// `await readFile()` is registered by the handler, but the path goes through
// the events of the reading itself.
TEST(CriticalPathTest, AwaitGoesThroughWhatResolvedIt) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t open = t.Register();
  const uint64_t handler = t.Event(0, 10, {kRead, 0, 5});
  const uint64_t inner = t.Slice(35, handler);
  const uint64_t read = t.Register();
  t.Event(30, 40, {EventType::kFsOpen, 25, open});
  t.Slice(72, inner);
  t.Slice(74, handler);
  t.End(78, 1);
  t.Event(70, 80, {kFs, 60, read});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"fs_open", 15, 5, 5},
                                           StepTimes{"fs_open", 0, 0, 5},
                                           StepTimes{"fs_read", 20, 10, 2},
                                           StepTimes{"fs_read", 0, 0, 2},
                                           StepTimes{"fs_read", 0, 0, 4}));
}

// Two pipelined requests come with one read: each waits for its turn.
TEST(CriticalPathTest, PipelinedRequestsShareTheReady) {
  TraceBuilder t;
  t.Meta().Start(110, 1);
  t.Slice(140, 0);
  t.Start(140, 2);
  t.End(150, 1, "GET /a");
  const uint64_t event = t.sequence();
  t.Event(100, 170, {kRead, 80, 5});
  t.Slice(220, event + 1);
  t.End(230, 2, "GET /b");
  t.Event(200, 240, {kTimer, 190, 0, ReadyKind::kDue});
  const Json first = RequestOf(t, 1);
  ExpectSums(first);
  EXPECT_EQ(first["latency_ns"], 70);
  const Json second = RequestOf(t, 2);
  ExpectSums(second);
  EXPECT_THAT(PathOf(second), ElementsAre(StepTimes{"tcp_read", 0, 60, 30},
                                          StepTimes{"timer", 20, 10, 30}));
}

// The first request ends while the slice of the second runs, and nothing says
// what resumed it: the last event of it before is taken, and said so.
TEST(CriticalPathTest, SinkWithoutKnownCauseIsInferred) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t read = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  t.Event(30, 40, {kFs, 20, read});
  t.End(60, 1);
  t.Event(50, 70, {kRead, 45, 6});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"fs_read", 10, 10, 10},
                                           StepTimes{"tcp_read", 5, 5, 10}));
  EXPECT_EQ(request["path"][2]["inferred"], true);
  EXPECT_EQ(request["path"][1]["inferred"], false);
}

// A tick inside a foreign event ends the request; its async id tells whose.
TEST(CriticalPathTest, SinkInForeignSliceFoundByExecutingId) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t tick = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  t.Start(0, 9);  // takes no part
  t.Event(20, 30, {kRead, 15, 6});
  t.Slice(55, 0);
  t.End(60, 1, "GET /", tick);
  t.Event(50, 70, {EventType::kImmediate, 40, 0, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"immediate", 30, 10, 10}));
  EXPECT_EQ(request["path"][1]["inferred"], false);
  EXPECT_EQ(request["nodes"][1]["parent"], 0);
}

TEST(CriticalPathTest, SliceByAsyncIdOfTheSameEvent) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t timer = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  // All timers due in one pass: the second is the request's; it registers a
  // tick, which ends the request after another's timer.
  t.Slice(105, 0, 77);
  t.Slice(110, 0, timer);
  const uint64_t tick = t.Register();
  t.Slice(120, 0, 78);
  t.Slice(130, 0, tick);
  t.End(135, 1);
  t.Event(100, 140, {kTimer, 90, 0, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request),
              ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                          StepTimes{"timer", 80, 10 + 5, 5 + 10},
                          StepTimes{"timer", 0, 10, 5}));
}

// What is ready when is not known: all the wait is I/O, and counted as such.
TEST(CriticalPathTest, UnknownReadyTime) {
  TraceBuilder t;
  t.Meta().Start(110, 1);
  const uint64_t read = t.Register();
  t.Event(100, 200, {kRead, -1, 5});
  t.End(350, 1);
  t.Event(300, 400, {kFs, -1, read});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["latency_ns"], 250);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 100},
                                           StepTimes{"fs_read", 100, 0, 50}));
  EXPECT_EQ(ReportOf(t)["ready_kinds"]["none"], 2);
  EXPECT_EQ(request["nodes"][1]["ready_ns"], nullptr);
}

// The main script is nobody's request, however long it runs.
TEST(CriticalPathTest, RequestStartedByTheMainScript) {
  TraceBuilder t;
  t.Meta().Start(5000, 1, RequestKind::kCustom);
  const uint64_t timer = t.Register();
  t.Event(0, 6000, {EventType::kMain, -1, 1});
  t.End(7100, 1, "job");
  t.Event(7000, 7200, {kTimer, 6500, timer, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"main", 0, 0, 1000},
                                           StepTimes{"timer", 500, 500, 100}));
  EXPECT_EQ(request["kind"], "custom");
}

// A custom request inside an event of another request leaves that one its
// event; after it has ended, the outer one goes on.
TEST(CriticalPathTest, CustomRequestInsideAnother) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t read = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  t.Start(50, 2, RequestKind::kCustom);
  const uint64_t work = t.Register();
  const uint64_t event = t.Event(40, 60, {kFs, 30, read});
  t.End(75, 2, "inner");
  t.Slice(78, event);
  t.End(79, 1, "outer");
  t.Event(70, 80, {kFs, 65, work});
  const Json outer = RequestOf(t, 1);
  ExpectSums(outer);
  EXPECT_THAT(PathOf(outer), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                         StepTimes{"fs_read", 20, 10, 10},
                                         StepTimes{"fs_read", 15, 5, 8 + 1}));
  const Json inner = RequestOf(t, 2);
  ExpectSums(inner);
  EXPECT_THAT(PathOf(inner), ElementsAre(StepTimes{"fs_read", 0, 20, 10},
                                         StepTimes{"fs_read", 5, 5, 5}));
}

}  // namespace
}  // namespace edgewise
