// Where the thread did not run, it is neither the program's time nor the
// collector's, nor the loop's.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "analysis/timeline/off_timeline.h"
#include "test/native/analysis/report_kit.h"

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kFs = EventType::kFsRead;
constexpr const char* kKnown =
    R"({"off_cpu": {"available": true, "quotas": [{"quota_us": 30000, "period_us": 100000}]}})";

// The clock of the builder has a tick a nanosecond.
void Off(TraceBuilder* t, int64_t begin, int64_t end, OffCpuKind kind) {
  Record record{};
  record.kind = RecordKind::kOffCpu;
  record.ticks = t->Ticks(begin);
  record.duration = static_cast<float>(end - begin);
  record.type = static_cast<uint8_t>(kind);
  t->Raw(record);
}

TEST(OffTimelineTest, SumsAsIfEachSpanWereLookedAt) {
  std::mt19937 random(7);
  OffTimeline timeline;
  std::vector<OffSpan> spans;
  int64_t at = 0;
  for (int i = 0; i < 300; ++i) {
    const int64_t begin = at + random() % 20;
    at = begin + random() % 20;
    spans.push_back({begin, at, static_cast<OffCpuKind>(random() % 4)});
    timeline.Push(spans.back());
  }
  for (int i = 0; i < 2000; ++i) {
    const int64_t from = random() % at;
    const int64_t to = from + random() % 300;
    OffTimes expected;
    for (const OffSpan& span : spans) {
      expected.ns[static_cast<size_t>(span.kind)] += std::max<int64_t>(
          0, std::min(span.end_ns, to) - std::max(span.begin_ns, from));
    }
    EXPECT_EQ(timeline.Between(from, to).ns, expected.ns) << from << " " << to;
    EXPECT_EQ(RanFor(spans, from, to), to - from - expected.total_ns());
  }
}

TEST(OffCpuTest, ExecutionIsTheProcessorsTime) {
  TraceBuilder t;
  t.Meta(kKnown).Start(110, 1);
  t.Gc(GcType::kScavenge, 200, 300);
  t.End(500, 1);
  Off(&t, 150, 180, OffCpuKind::kPreempted);
  Off(&t, 190, 260, OffCpuKind::kThrottled);  // of it, 60 in the collection
  Off(&t, 400, 405, OffCpuKind::kFault);
  Off(&t, 405, 425, OffCpuKind::kBlocked);
  Off(&t, 490, 530, OffCpuKind::kPreempted);  // of it, 10 before the end
  t.Event(100, 600, {kRead, 100, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["gc"]["total_ns"], 100);
  EXPECT_EQ(report["gc"]["not_running_ns"], 60);
  const Json& tail = report["tail"];
  EXPECT_EQ(tail["exec_ns"], 400);
  EXPECT_EQ(tail["exec"]["gc_ns"], 40);
  const Json expected = {{"preempted_ns", 40},
                         {"throttled_ns", 70},
                         {"fault_ns", 5},
                         {"blocked_ns", 20}};
  EXPECT_EQ(tail["exec"]["not_running"], expected);
  EXPECT_EQ(tail["not_running"], expected);
  EXPECT_EQ(tail["exec"]["native_ns"], 400 - 40 - 135);
  const Json request = RequestOf(t, 1);
  EXPECT_EQ(request["not_running"], expected);
  EXPECT_EQ(request["gc_ns"], 40);
}

TEST(OffCpuTest, QueueingIsSplitByWhatItsBlockersDid) {
  TraceBuilder t;
  t.Meta(kKnown).Start(100, 1);
  const uint64_t id = t.Register();
  t.Event(100, 200, {kRead, 100, 5});
  t.Start(300, 2);
  t.Gc(GcType::kScavenge, 350, 450);
  t.End(900, 2, "GET /slow");
  Off(&t, 400, 700, OffCpuKind::kThrottled);  // of it, 50 in the collection
  t.Event(300, 1000, {kRead, 300, 6});
  Off(&t, 1100, 1150, OffCpuKind::kPreempted);  // the loop was between events
  t.End(1250, 1);
  t.Event(1200, 1300, {kFs, 250, id});
  ReportOptions options;
  const Json report = ReportOf(t, options);
  // Request 1 is the slower one, and the tail.
  const Json queue = report["tail"]["queue"];
  EXPECT_EQ(report["tail"]["queue_ns"], 950);
  EXPECT_EQ(queue["gc_ns"], 50);
  EXPECT_EQ(queue["not_running"]["throttled_ns"], 300);
  EXPECT_EQ(queue["not_running"]["preempted_ns"], 50);
  EXPECT_EQ(queue["native_ns"], 700 - 50 - 300);
  EXPECT_EQ(queue["idle_ns"], 250);
  EXPECT_EQ(queue["loop_ns"], 200);
  int64_t sum = 0;
  for (const Json& blocker : report["blockers"]) {
    sum += blocker["not_running_ns"].get<int64_t>();
    if (blocker["kind"] == "request") {
      EXPECT_EQ(blocker["queue_ns"], 600);
      EXPECT_EQ(blocker["not_running_ns"], 250);
    }
    if (blocker["kind"] == "gc") {
      EXPECT_EQ(blocker["not_running_ns"], 50);
    }
  }
  EXPECT_EQ(sum, 350);
  EXPECT_EQ(report["loop"]["busy_ns"], 900);
  EXPECT_EQ(report["loop"]["not_running_ns"], 300);
}

TEST(OffCpuTest, WhatIsToldEarlyOrLateIsPutWhereItWas) {
  TraceBuilder t;
  t.Meta(kKnown).Start(100, 1);
  const uint64_t id = t.Register();
  Off(&t, 190, 300, OffCpuKind::kThrottled);  // from the event into the wait
  t.Event(100, 200, {kRead, 100, 5});
  Off(&t, 480, 495, OffCpuKind::kPreempted);
  Off(&t, 400, 490, OffCpuKind::kThrottled);  // known when it was read
  t.End(520, 1);
  t.Event(500, 600, {kFs, 250, id});
  const Json report = ReportOf(t, ReportOptions());
  EXPECT_EQ(report["tail"]["queue"]["not_running"]["throttled_ns"], 50 + 80);
  EXPECT_EQ(report["tail"]["queue"]["not_running"]["preempted_ns"], 15);
  EXPECT_EQ(report["tail"]["exec"]["not_running"]["throttled_ns"], 10);
}

TEST(OffCpuTest, OfARecorderThatDoesNotTellItIsUnknown) {
  TraceBuilder t;
  t.Meta(
      R"({"off_cpu": {"available": false, "reason": "perf_event_open: Permission denied"}})");
  t.Start(110, 1).End(500, 1);
  t.Event(100, 600, {kRead, 100, 5});
  const Json report = ReportOf(t);
  EXPECT_TRUE(report["tail"]["not_running"].is_null());
  EXPECT_TRUE(report["tail"]["exec"]["not_running"].is_null());
  EXPECT_TRUE(report["loop"]["not_running_ns"].is_null());
  EXPECT_EQ(report["tail"]["exec"]["native_ns"], 400);
  EXPECT_EQ(report["off_cpu"]["available"], false);
  EXPECT_EQ(report["off_cpu"]["reason"], "perf_event_open: Permission denied");
}

TEST(OffCpuTest, WhatTheKernelHadNoRoomForIsCounted) {
  TraceBuilder t;
  t.Meta(kKnown).Start(110, 1).End(500, 1);
  Record off{};
  off.kind = RecordKind::kOffCpu;
  off.ticks = t.Ticks(200);
  off.duration = 100;
  off.aux = 17;
  t.Raw(off);
  t.Event(100, 600, {kRead, 100, 5});
  EXPECT_EQ(ReportOf(t)["off_cpu"]["lost_switches"], 17);
}

TEST(OffCpuTest, AQuotaIsTold) {
  TraceBuilder t;
  t.Meta(kKnown).Start(110, 1).End(500, 1);
  Record quota{};
  quota.kind = RecordKind::kQuota;
  quota.ticks = 400;
  quota.duration = 300;
  quota.aux = 358;
  SetIds(quota, 350, 0);
  t.Raw(quota);
  t.Event(100, 600, {kRead, 100, 5});
  const Json expected = {{"quota_us", 30000},
                         {"period_us", 100000},
                         {"periods", 358},
                         {"throttled_periods", 350},
                         {"throttled_ns", 300}};
  EXPECT_EQ(ReportOf(t)["off_cpu"]["quota"], expected);
}

}  // namespace
}  // namespace edgewise
