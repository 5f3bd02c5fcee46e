#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/native/analysis/report_kit.h"

// What only a patched Node's recorder writes: calls of functions that belong to
// another slice, and V8's times.

namespace edgewise {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr auto kRead = EventType::kTcpRead;

// Two requests in events of their own; their numbers.
struct Pair {
  uint64_t first;
  uint64_t second;
};
Pair StartTwo(TraceBuilder* trace) {
  trace->Meta(TraceBuilder::kPatchedMeta).Start(100, 1);
  const uint64_t first = trace->Event(100, 150, {kRead, 100, 5});
  trace->Start(200, 2);
  return {first, trace->Event(200, 250, {kRead, 200, 6})};
}

TEST(EdgesTest, ASharedReadIsForWhomItCallsBack) {
  TraceBuilder t;
  const Pair source = StartTwo(&t);
  t.Edge(1010, source.first).End(1050, 1);
  t.Edge(1100, source.second).End(1150, 2);
  t.Event(1000, 1200, {kRead, 990, 9});
  const Json one = RequestOf(t, 1);
  ExpectSums(one);
  EXPECT_THAT(PathOf(one), ElementsAre(StepTimes{"tcp_read", 0, 0, 50},
                                       StepTimes{"tcp_read", 840, 10, 50}));
  const Json two = RequestOf(t, 2);
  ExpectSums(two);
  EXPECT_THAT(PathOf(two), ElementsAre(StepTimes{"tcp_read", 0, 0, 50},
                                       StepTimes{"tcp_read", 740, 100, 60}));
  EXPECT_EQ(two["path"][1]["inferred"], false);
  EXPECT_EQ(two["nodes"].size(), 2u);
  EXPECT_EQ(two["nodes"][1]["end_ns"], two["latency_ns"]) << "the sink's slice";
}

TEST(EdgesTest, ACalledRequestOwnsWhatItRegistersThere) {
  TraceBuilder t;
  const Pair source = StartTwo(&t);
  t.Edge(1010, source.first);
  const uint64_t mine = t.Register();
  t.Edge(1100, source.second);
  const uint64_t others = t.Register();
  t.Event(1000, 1200, {kRead, 990, 9});
  t.End(1350, 2);
  t.Event(1300, 1400, {EventType::kFsRead, 1250, others});
  t.End(1550, 1);
  t.Event(1500, 1600, {EventType::kFsRead, 1450, mine});
  for (const int64_t id : {1, 2}) {
    const Json request = RequestOf(t, id);
    ExpectSums(request);
    ASSERT_EQ(request["path"].size(), 3u) << id;
    EXPECT_EQ(request["path"][2]["type"], "fs_read");
    EXPECT_EQ(request["path"][2]["inferred"], false);
  }
}

TEST(EdgesTest, AGuestEndsInAnothersSliceWhichGoesOn) {
  TraceBuilder t;
  const Pair source = StartTwo(&t);
  t.Start(1000, 3);
  t.Edge(1040, source.first).End(1050, 1);
  const uint64_t id = t.Register();
  t.Event(1000, 1200, {kRead, 1000, 9});
  t.End(1350, 3);
  t.Event(1300, 1400, {EventType::kFsRead, 1250, id});
  t.End(1500, 2);
  t.Event(1500, 1501, {kRead, 1500, 6});
  const Json guest = RequestOf(t, 1);
  ExpectSums(guest);
  EXPECT_EQ(guest["path"][1]["inferred"], false);
  EXPECT_EQ(guest["path"][1]["exec_ns"], 50) << "with what led to its call";
  const Json host = RequestOf(t, 3);
  ExpectSums(host);
  EXPECT_EQ(host["exec_ns"], 250);
  EXPECT_EQ(host["path"].back()["type"], "fs_read");
}

// 70 ns of the trace are a collection, before request 2's function is called.
TEST(EdgesTest, AGuestWaitedForWhatItsHostCollected) {
  TraceBuilder t;
  const Pair source = StartTwo(&t);
  t.Slice(1010, source.first);
  t.Gc(GcType::kScavenge, 1020, 1090);
  t.Edge(1100, source.second).Gc(GcType::kSweeping, 1110, 1120).End(1150, 2);
  t.Event(1000, 1200, {EventType::kFsRead, 990, 9});
  const Json guest = RequestOf(t, 2);
  ExpectSums(guest);
  EXPECT_EQ(guest["path"][1]["exec_ns"], 10 + 50);
  EXPECT_EQ(guest["path"][1]["gc_ns"], 10);
  EXPECT_EQ(guest["gc_ns"], 70 + 10);
}

TEST(EdgesTest, AGuestSharesWhatTheFirstSliceCollected) {
  TraceBuilder t;
  const Pair source = StartTwo(&t);
  t.Start(1000, 3).Gc(GcType::kScavenge, 1020, 1090);
  t.Edge(1100, source.second).Gc(GcType::kSweeping, 1110, 1120).End(1150, 2);
  t.Event(1000, 1200, {kRead, 990, 9});
  const Json guest = RequestOf(t, 2);
  ExpectSums(guest);
  EXPECT_EQ(guest["path"][1]["exec_ns"], 150);
  EXPECT_EQ(guest["path"][1]["gc_ns"], 70 + 10);
  EXPECT_EQ(guest["gc_ns"], 70 + 10);
}

TEST(EdgesTest, WhatManyRequestsCallIsNoneOfTheirs) {
  TraceBuilder t;
  const Pair source = StartTwo(&t);
  for (uint32_t i = 0; i < 5; ++i) {
    const int64_t at = 1000 + 100 * i;
    t.Start(at, 10 + i).Edge(at + 10, source.first).End(at + 20, 10 + i);
    t.Event(at, at + 50, {kRead, at, 20 + i});
  }
  t.Edge(2010, source.first).End(2020, 1).End(2030, 2);
  t.Event(2000, 2100, {kRead, 2000, 40});
  EXPECT_EQ(RequestOf(t, 1)["path"].back()["inferred"], true);
}

TEST(EdgesTest, AnEndedRequestsFunctionsLeadNowhere) {
  TraceBuilder t;
  const Pair source = StartTwo(&t);
  t.End(1010, 1);
  t.Event(1000, 1050, {kRead, 1000, 5});
  t.Edge(2010, source.first).End(2020, 2);
  t.Event(2000, 2100, {kRead, 2000, 6});
  EXPECT_EQ(RequestOf(t, 2)["nodes"].size(), 2u);
}

Json PartsOf(TraceBuilder& trace, const char* of) {
  return ReportOf(trace)["tail"][of];
}

TEST(VmTimesTest, AreZeroWhereNoneWasSpent) {
  TraceBuilder t;
  t.Meta(TraceBuilder::kPatchedMeta).Start(100, 1).End(200, 1);
  t.Event(100, 300, {kRead, 100, 5});
  const Json exec = PartsOf(t, "exec");
  EXPECT_EQ(exec["jit_ns"], 0);
  EXPECT_EQ(exec["ic_ns"], 0);
  EXPECT_EQ(exec["native_ns"], 100);
}

TEST(VmTimesTest, AreNotKnownWhereNobodyMeasures) {
  TraceBuilder t;
  t.Meta().Start(100, 1).Times(150, 20, 10).End(200, 1);
  t.Event(100, 300, {kRead, 100, 5});
  const Json exec = PartsOf(t, "exec");
  EXPECT_EQ(exec["jit_ns"], nullptr);
  EXPECT_EQ(exec["native_ns"], 100);
}

TEST(VmTimesTest, AreDividedByLengthWithoutCollections) {
  TraceBuilder t;
  t.Meta(TraceBuilder::kPatchedMeta).Start(100, 1);
  t.Gc(GcType::kSweeping, 120, 160);
  t.Times(180, 20, 10);  // of 40 ns
  t.End(190, 1);
  t.Times(300, 0, 55);  // of 120 ns
  t.Event(100, 300, {kRead, 100, 5});
  const Json exec = PartsOf(t, "exec");
  EXPECT_EQ(exec["gc_ns"], 40);
  EXPECT_EQ(exec["jit_ns"], 20);
  EXPECT_EQ(exec["ic_ns"], 10 + 5) << "a stretch of 120 ns, of which 10 count";
  EXPECT_EQ(exec["native_ns"], 90 - 40 - 20 - 15);
}

TEST(VmTimesTest, OfOthersArePartOfTheQueueing) {
  TraceBuilder t;
  t.Meta(TraceBuilder::kPatchedMeta);
  t.Times(1100, 40, 20);
  t.Event(1000, 1100, {kRead, 1000, 5});
  t.Start(1100, 1).End(1150, 1);
  t.Event(1100, 1200, {kRead, 1050, 6});
  const Json queue = PartsOf(t, "queue");
  EXPECT_EQ(queue["jit_ns"], 20);
  EXPECT_EQ(queue["ic_ns"], 10);
  EXPECT_EQ(queue["native_ns"], 20);
}

TEST(VmTimesTest, AreBlockersOfTheirOwn) {
  TraceBuilder t;
  t.Meta(TraceBuilder::kPatchedMeta);
  t.Times(1100, 40, 20);
  t.Event(1000, 1100, {kRead, 1000, 5});
  t.Start(1100, 1).End(1150, 1);
  t.Event(1100, 1200, {kRead, 1050, 6});
  const Json report = ReportOf(t);
  std::vector<std::string> told;
  for (const Json& blocker : report["blockers"]) {
    told.push_back(blocker["kind"].get<std::string>() + " " +
                   blocker["queue_ns"].dump() + " " +
                   blocker["requests"].dump());
    EXPECT_EQ(blocker.contains("type"), blocker["kind"] == "event");
  }
  EXPECT_THAT(told, ElementsAre("event 20 1", "jit 20 1", "ic 10 1"));
  std::vector<std::string> path;
  const Json request = RequestOf(t, 1);
  for (const Json& cause : request["path"][0]["blocked_by"]) {
    path.push_back(cause["what"].get<std::string>() + " " + cause["ns"].dump());
  }
  EXPECT_THAT(path, UnorderedElementsAre("(no request) tcp_read 20",
                                         "JIT compilation 20", "IC misses 10"));
}

TEST(GcReasonTest, IsCountedWhereTheTraceHasIt) {
  TraceBuilder t;
  t.Meta(TraceBuilder::kPatchedMeta).Start(100, 1);
  t.Gc(GcType::kScavenge, 110, 120, 0, /*reason=*/1);
  t.Gc(GcType::kIncrementalMarking, 120, 125);  // a step has none
  t.Gc(GcType::kScavenge, 130, 135, 0, /*reason=*/1);
  t.Gc(GcType::kMarkSweepCompact, 140, 170, 0, /*reason=*/23);
  t.Gc(GcType::kScavenge, 175, 176, 0, /*reason=*/4000);  // nonsense
  t.End(190, 1).Event(100, 200, {kRead, 100, 5});
  const Json gc = ReportOf(t)["gc"];
  EXPECT_EQ(gc["count"], 5);
  const Json expected = {
      {"allocation failure", {{"count", 2}, {"total_ns", 15}}},
      {"global allocation limit", {{"count", 1}, {"total_ns", 30}}}};
  EXPECT_EQ(gc["by_reason"], expected);
}

TEST(GcTypeTest, OneThatIsNotKnownIsAnother) {
  TraceBuilder t;
  t.Meta().Start(100, 1).Gc(static_cast<GcType>(7), 110, 150).End(190, 1);
  t.Event(100, 200, {kRead, 100, 5});
  const Json expected = {{"other", {{"count", 1}, {"total_ns", 40}}}};
  EXPECT_EQ(ReportOf(t)["gc"]["by_type"], expected);
}

TEST(GcReasonTest, IsNotKnownOnAStockNode) {
  TraceBuilder t;
  t.Meta().Start(100, 1).Gc(GcType::kScavenge, 110, 120).End(190, 1);
  t.Event(100, 200, {kRead, 100, 5});
  EXPECT_EQ(ReportOf(t)["gc"]["by_reason"], nullptr);
}

TEST(VmTimesTest, MoreThanThereIsIsCut) {
  TraceBuilder t;
  t.Meta(TraceBuilder::kPatchedMeta).Start(100, 1).Times(200, 500, 500);
  t.End(200, 1);
  t.Event(100, 200, {kRead, 100, 5});
  const Json exec = PartsOf(t, "exec");
  EXPECT_EQ(exec["jit_ns"], 100);
  EXPECT_EQ(exec["ic_ns"], 0);
  EXPECT_EQ(exec["native_ns"], 0);
}

}  // namespace
}  // namespace edgewise
