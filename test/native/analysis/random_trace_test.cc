#include "test/native/analysis/random_trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

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

class RandomTraceTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomTraceTest, EverythingAddsUp) {
  RandomTraceOptions trace;
  trace.seed = GetParam();
  trace.faults = GetParam() % 4 == 3;
  trace.patched = GetParam() >= 60;
  ReportOptions options;
  options.percentile = GetParam() % 2 == 0 ? 50 : 90;
  options.slowest = 1000;
  const Json report = ReportOf({RandomTrace(trace)}, options);
  EXPECT_GT(report["requests"]["count"], 0);
  ExpectReportSums(report);
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
  }
  if (!trace.faults) {
    EXPECT_EQ(report["requests"]["lost"], 0);
    EXPECT_EQ(report["problems"].size(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraceTest, ::testing::Range(0U, 120U));

// How the records are cut into chunks must not matter.
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
