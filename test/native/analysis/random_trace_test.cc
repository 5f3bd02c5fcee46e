#include "test/native/analysis/random_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "analysis/stream/event_stream.h"
#include "test/native/analysis/report_kit.h"

// What must hold for any trace, on random ones.

namespace edgewise {
namespace {

double NumberOf(const Json& value) {
  return value.is_null() ? 0 : value.get<double>();
}

// Means are rounded one by one.
void ExpectGroupSums(const Json& group) {
  EXPECT_NEAR(NumberOf(group["mean_latency_ns"]),
              NumberOf(group["io_ns"]) + NumberOf(group["queue_ns"]) +
                  NumberOf(group["exec_ns"]),
              2);
  const Json& exec = group["exec"];
  EXPECT_NEAR(NumberOf(group["exec_ns"]),
              NumberOf(exec["gc_ns"]) + NumberOf(exec["jit_ns"]) +
                  NumberOf(exec["ic_ns"]) + NumberOf(exec["native_ns"]),
              2);
  const Json& queue = group["queue"];
  EXPECT_NEAR(NumberOf(group["queue_ns"]),
              NumberOf(queue["gc_ns"]) + NumberOf(queue["jit_ns"]) +
                  NumberOf(queue["ic_ns"]) + NumberOf(queue["native_ns"]) +
                  NumberOf(queue["loop_ns"]),
              3);
  EXPECT_NEAR(NumberOf(group["queue_ns"]),
              NumberOf(queue["own_ns"]) + NumberOf(queue["unowned_ns"]) +
                  NumberOf(queue["other_requests_ns"]) +
                  NumberOf(queue["loop_ns"]),
              2);
  EXPECT_LE(NumberOf(queue["wake_ns"]), NumberOf(queue["loop_ns"]));
  for (const auto* parts : {&exec, &queue}) {
    for (const auto& [key, value] : parts->items()) {
      EXPECT_GE(NumberOf(value), 0) << key;
    }
  }
}

void ExpectReportSums(const Json& report) {
  ExpectGroupSums(report["tail"]);
  ExpectGroupSums(report["rest"]);
  uint64_t count = 0;
  for (const Json& route : report["routes"]) {
    ExpectGroupSums(route["tail"]);
    ExpectGroupSums(route["rest"]);
    count += route["count"].get<uint64_t>();
  }
  EXPECT_EQ(count, report["requests"]["count"]);
  EXPECT_EQ(report["tail"]["count"].get<uint64_t>() +
                report["rest"]["count"].get<uint64_t>(),
            count);
  // Every nanosecond of the tail's queueing has a cause.
  double blamed_ns = 0;
  for (const Json& blocker : report["blockers"]) {
    blamed_ns += NumberOf(blocker["queue_ns"]);
    EXPECT_LE(blocker["requests"], report["tail"]["count"]);
    EXPECT_GE(blocker["requests"], 1);
  }
  const double tail = NumberOf(report["tail"]["count"]);
  EXPECT_NEAR(blamed_ns, NumberOf(report["tail"]["queue_ns"]) * tail,
              tail + NumberOf(report["blockers"].size()));
  double exec_gc_ns = 0;
  for (const Json& gc : report["exec_gc"])
    exec_gc_ns += NumberOf(gc["exec_ns"]);
  EXPECT_NEAR(exec_gc_ns, NumberOf(report["tail"]["exec"]["gc_ns"]) * tail,
              tail + 5);
}

// Begin and end of every collection.
std::vector<std::pair<int64_t, int64_t>> CollectionsIn(
    const std::string& bytes) {
  MemorySource source(bytes);
  EventStream stream(&source, "", EventStream::Detail::kAll, nullptr);
  std::vector<std::pair<int64_t, int64_t>> collections;
  const auto take = [&](std::span<const InnerRecord> records) {
    for (const InnerRecord& record : records) {
      if (record.kind != RecordKind::kGc) continue;
      collections.emplace_back(record.time_ns, record.end_ns);
    }
  };
  for (auto item = stream.Next(); item != EventStream::Item::kEnd;
       item = stream.Next()) {
    if (item != EventStream::Item::kEvent) continue;
    take(stream.event().before);
    take(stream.event().inner);
  }
  return collections;
}

// No collection is counted twice, as queueing and as execution.
void ExpectCollectionsOnce(
    const Json& request,
    const std::vector<std::pair<int64_t, int64_t>>& collections) {
  const auto start = request["start_ns"].get<int64_t>();
  const auto end = request["end_ns"].get<int64_t>();
  int64_t within = 0;
  for (const auto& [from, to] : collections) {
    within += std::max<int64_t>(0, std::min(to, end) - std::max(from, start));
  }
  EXPECT_LE(request["gc_ns"], within) << request["id"];
}

class RandomTraceTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomTraceTest, EverythingAddsUp) {
  RandomTraceOptions trace;
  trace.seed = GetParam();
  trace.faults = GetParam() % 4 == 3;
  trace.patched = GetParam() >= 60;
  ReportOptions options;
  options.percentile = GetParam() % 2 == 0 ? 50 : 90;
  options.slowest = 1000;
  const std::string bytes = RandomTrace(trace);
  const auto collections = CollectionsIn(bytes);
  const Json report = ReportOf({bytes}, options);
  EXPECT_GT(report["requests"]["count"], 0);
  ExpectReportSums(report);
  EXPECT_LE(report["loop"]["utilisation"], 1);
  for (const Json& request : report["slowest"]) {
    ExpectSums(request);
    int64_t queue = 0;
    for (const Json& step : request["path"]) {
      for (const char* key : {"io_ns", "queue_ns", "exec_ns", "gc_ns"}) {
        EXPECT_GE(step[key], 0);
      }
      EXPECT_LE(step["gc_ns"], step["exec_ns"]);
      queue += step["queue_ns"].get<int64_t>();
    }
    EXPECT_EQ(queue, request["queue_ns"]);
    ExpectCollectionsOnce(request, collections);
  }
  if (!trace.faults) {
    EXPECT_EQ(report["requests"]["lost"], 0);
    EXPECT_EQ(report["problems"].size(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraceTest, ::testing::Range(0U, 120U));

// The clock of an even seed is read without rounding.
TEST(RandomTraceChunksTest, ReportDoesNotDependOnHowRecordsAreCut) {
  ReportOptions options;
  options.percentile = 50;
  options.slowest = 1000;
  for (uint32_t seed = 0; seed < 80; seed += 2) {
    RandomTraceOptions trace;
    trace.seed = seed;
    trace.patched = seed >= 40;
    const Json cut = ReportOf({RandomTrace(trace)}, options);
    trace.cuts = false;
    EXPECT_EQ(cut, ReportOf({RandomTrace(trace)}, options)) << seed;
  }
}

TEST(RandomTraceChunksTest, ReportDoesNotDependOnTheOrderOfFiles) {
  RandomTraceOptions one;
  one.seed = 4;
  RandomTraceOptions two;
  two.seed = 6;
  two.process = 2;
  Json forward = ReportOf({RandomTrace(one), RandomTrace(two)});
  Json backward = ReportOf({RandomTrace(two), RandomTrace(one)});
  for (const char* key : {"requests", "latency_ns", "tail", "rest", "blockers",
                          "gc", "loop", "ready_kinds"}) {
    EXPECT_EQ(forward[key], backward[key]) << key;
  }
}

}  // namespace
}  // namespace edgewise
