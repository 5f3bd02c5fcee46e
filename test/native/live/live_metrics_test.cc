#include "live/live_metrics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "test/native/analysis/trace_builder.h"
#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

using Json = nlohmann::json;
constexpr auto kRead = EventType::kTcpRead;
constexpr int64_t kMs = 1'000'000;

uint64_t CountOf(const Json& histogram) {
  uint64_t sum = 0;
  for (const auto& count : histogram["counts"]) sum += count.get<uint64_t>();
  return sum;
}

class LiveMetricsTest : public testing::Test {
 protected:
  void Write(TraceBuilder& trace) {
    std::ofstream(directory_.file(), std::ios::binary) << trace.Bytes();
  }

  // Once there are so many requests.
  Json Read(uint64_t requests) {
    Json found;
    for (int i = 0; i < 500; ++i) {
      found = Json::parse(metrics_.Json());
      uint64_t count = 0;
      for (const Json& route : found["routes"]) {
        count += CountOf(route["duration"]);
      }
      if (count >= requests) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return found;
  }

  TraceDirectory directory_;
  LiveMetrics metrics_;
};

// A request that is read after 3 ms, runs for 2 ms, waits 10 ms for a timer
// that is late by 5 ms, and runs for 1 ms.
void AddRequest(TraceBuilder* trace, int64_t at, uint32_t number,
                std::string_view route) {
  trace->Start(at + 3 * kMs, number);
  const uint64_t timer = trace->Register();
  trace->Event(at + 3 * kMs, at + 5 * kMs, {kRead, at, 0});
  trace->End(at + 21 * kMs, number, route);
  trace->Event(at + 20 * kMs, at + 22 * kMs,
               {EventType::kTimer, at + 15 * kMs, timer, ReadyKind::kDue});
}

TEST_F(LiveMetricsTest, HasThePartsOfEachRequest) {
  TraceBuilder trace;
  trace.Meta();
  for (uint32_t i = 0; i < 10; ++i) {
    AddRequest(&trace, 100 * kMs * i, i + 1, i < 4 ? "GET /a" : "GET /b");
  }
  Write(trace);
  ASSERT_TRUE(metrics_.Follow(directory_.file()).ok());
  const Json found = Read(10);
  ASSERT_EQ(found["routes"].size(), 2u) << found;
  const Json& a = found["routes"][0];
  EXPECT_EQ(a["route"], "GET /a");
  EXPECT_EQ(CountOf(a["duration"]), 4u);
  EXPECT_EQ(a["duration"]["sum_ns"], 4 * 21.0 * kMs);
  EXPECT_EQ(a["io"]["sum_ns"], 4 * 10.0 * kMs);
  EXPECT_EQ(a["queueing"]["sum_ns"], 4 * 8.0 * kMs);
  EXPECT_EQ(a["execution"]["sum_ns"], 4 * 3.0 * kMs);
  EXPECT_EQ(a["loop"]["sum_ns"], 4 * 3.0 * kMs);
  EXPECT_EQ(CountOf(found["routes"][1]["duration"]), 6u);
  EXPECT_EQ(found["loop"]["events"]["sum_ns"], 10 * 4.0 * kMs);
  EXPECT_EQ(found["loop"]["queueing"]["sum_ns"], 10 * 8.0 * kMs);
  EXPECT_EQ(found["lost"], 0);
}

TEST_F(LiveMetricsTest, ABucketHoldsItsUpperBound) {
  TraceBuilder trace;
  trace.Meta();
  AddRequest(&trace, 0, 1, "GET /");
  Write(trace);
  ASSERT_TRUE(metrics_.Follow(directory_.file()).ok());
  const Json found = Read(1);
  const Json& bounds = found["bounds"]["duration"];
  const Json& counts = found["routes"][0]["duration"]["counts"];
  ASSERT_EQ(counts.size(), bounds.size() + 1) << "and one for what is larger";
  for (size_t i = 0; i < bounds.size(); ++i) {
    const bool here = bounds[i].get<double>() >= 0.021 &&
                      (i == 0 || bounds[i - 1].get<double>() < 0.021);
    EXPECT_EQ(counts[i], here ? 1 : 0) << bounds[i];
  }
  PartBuckets exact;
  exact.Add(1'000'000'000);
  for (size_t i = 0; i < PartBuckets::kBounds; ++i) {
    EXPECT_EQ(exact.counts()[i], PartBuckets::Bound(i) == 1.0 ? 1u : 0u);
  }
}

TEST_F(LiveMetricsTest, BoundsTheRoutes) {
  TraceBuilder trace;
  trace.Meta();
  constexpr uint32_t kRoutes = 2 * LiveMetrics::kMaxRoutes;
  for (uint32_t i = 0; i < kRoutes; ++i) {
    AddRequest(&trace, 100 * kMs * i, i + 1, absl::StrCat("GET /", i));
  }
  Write(trace);
  ASSERT_TRUE(metrics_.Follow(directory_.file()).ok());
  const Json found = Read(kRoutes);
  EXPECT_EQ(found["routes"].size(), LiveMetrics::kMaxRoutes + 1);
  uint64_t others = 0;
  for (const Json& route : found["routes"]) {
    if (route["route"] == "(other routes)") others = CountOf(route["duration"]);
  }
  EXPECT_EQ(others, kRoutes - LiveMetrics::kMaxRoutes);
}

TEST_F(LiveMetricsTest, GoesOnWithTheNextTrace) {
  for (uint64_t round = 1; round <= 2; ++round) {
    TraceBuilder trace;
    trace.Meta();
    AddRequest(&trace, 0, 1, "GET /");
    Write(trace);
    ASSERT_TRUE(metrics_.Follow(directory_.file()).ok());
    EXPECT_EQ(CountOf(Read(round)["routes"][0]["duration"]), round);
  }
  EXPECT_FALSE(metrics_.Follow("/nowhere/1-0.ewt").ok());
}

TEST_F(LiveMetricsTest, CountsRequestsOfWhichRecordsAreMissing) {
  TraceBuilder trace;
  trace.Meta();
  AddRequest(&trace, 0, 1, "GET /");
  trace.End(100 * kMs, 77, "GET /");
  trace.Event(100 * kMs, 101 * kMs, {kRead, 100 * kMs, 0});
  AddRequest(&trace, 200 * kMs, 2, "GET /");
  Write(trace);
  ASSERT_TRUE(metrics_.Follow(directory_.file()).ok());
  EXPECT_EQ(Read(2)["lost"], 1);
}

}  // namespace
}  // namespace edgewise
