#include "analysis/tail/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analysis/stream/route_table.h"
#include "analysis/tail/histogram.h"
#include "analysis/tail/latency_pass.h"

namespace edgewise {
namespace {

TEST(LatencyHistogramTest, EmptyAndOne) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.Percentile(99), 0);
  EXPECT_EQ(histogram.count(), 0);
  histogram.Add(123'456'789);
  for (const double percentile : {0.001, 50.0, 99.999}) {
    EXPECT_EQ(histogram.Percentile(percentile), 123'456'789);
  }
  EXPECT_EQ(histogram.max_ns(), 123'456'789);
}

TEST(LatencyHistogramTest, NearestRankWhileExact) {
  LatencyHistogram histogram;
  for (int i = 100; i >= 1; --i) histogram.Add(i * 1'000'003);
  EXPECT_EQ(histogram.Percentile(50), 50 * 1'000'003);
  EXPECT_EQ(histogram.Percentile(99), 99 * 1'000'003);
  EXPECT_EQ(histogram.Percentile(99.1), 100 * 1'000'003);
  EXPECT_EQ(histogram.Percentile(0.5), 1'000'003);
}

struct RankCase {
  int64_t count;
  double percentile;
  int64_t rank;
};

class RankTest : public ::testing::TestWithParam<RankCase> {};

// In doubles 99.9 / 100 * 1000 is a little more than 999.
TEST_P(RankTest, IsTheNearest) {
  LatencyHistogram histogram;
  // Beyond 512 values the bucket's lower bound is told: 1 is exact to 2,047.
  for (int64_t i = 1; i <= GetParam().count; ++i) histogram.Add(i);
  EXPECT_EQ(histogram.Percentile(GetParam().percentile), GetParam().rank);
}

INSTANTIATE_TEST_SUITE_P(
    Literal, RankTest,
    ::testing::Values(RankCase{1000, 99.9, 999}, RankCase{1000, 99.95, 1000},
                      RankCase{2000, 99.9, 1998}, RankCase{500, 99.4, 497},
                      RankCase{500, 99.5, 498}, RankCase{1000, 50, 500},
                      RankCase{1001, 50, 501}, RankCase{1000, 99.900001, 1000},
                      RankCase{10, 0.001, 1}, RankCase{1999, 99.9, 1998}));

TEST(LatencyHistogramTest, WithinOneInAThousandOverTheWholeRange) {
  std::mt19937_64 random(3);
  LatencyHistogram histogram;
  std::vector<int64_t> values;
  for (int i = 0; i < 50'000; ++i) {
    const auto value = static_cast<int64_t>(random() >> (3 + random() % 58));
    values.push_back(value);
    histogram.Add(value);
  }
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const int64_t value : values) sum += static_cast<double>(value);
  EXPECT_NEAR(histogram.mean_ns(), sum / 50'000, 1e-6 * sum);
  EXPECT_EQ(histogram.max_ns(), values.back());
  for (size_t rank = 5; rank < 50'000; rank += 185) {
    const double percentile = static_cast<double>(rank) / 500;
    const auto exact = static_cast<double>(values[rank - 1]);
    const auto found = static_cast<double>(histogram.Percentile(percentile));
    EXPECT_LE(found, exact);
    EXPECT_GE(found, exact * (1 - 0.001)) << percentile;
  }
}

TEST(LatencyHistogramTest, NegativeCountsAsZero) {
  LatencyHistogram histogram;
  histogram.Add(-5);
  EXPECT_EQ(histogram.max_ns(), 0);
  EXPECT_EQ(histogram.Percentile(50), 0);
}

// The threshold is one of the values, or below it within its bucket: the tail
// is never empty.
TEST(TailStatisticsTest, TailHoldsAtLeastItsShare) {
  std::mt19937 random(5);
  TailStatistics statistics;
  std::vector<int64_t> values;
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(1'000'000 + random() % 9'000'000);
  }
  for (const int64_t value : values) statistics.latencies.Add(value);
  statistics.SetThreshold(99);
  for (const int64_t value : values) {
    Components components;
    components.ns[Components::kLatency] = value;
    components.ns[Components::kExec] = value;
    statistics.Add(components);
  }
  EXPECT_GE(statistics.tail.count, 100);
  EXPECT_LE(statistics.tail.count, 120);
  EXPECT_EQ(statistics.tail.count + statistics.rest.count, 10'000);
  EXPECT_GT(statistics.tail.MeanNs(Components::kLatency),
            statistics.rest.MeanNs(Components::kLatency));
}

TEST(SlowestRequestsTest, KeepsTheLargestAndOfEqualsTheFirst) {
  SlowestRequests slowest(3);
  for (uint64_t i = 0; i < 100; ++i) {
    slowest.Offer(static_cast<int64_t>(i % 50), {0, i});
  }
  const auto sorted = slowest.Sorted();
  ASSERT_EQ(sorted.size(), 3);
  EXPECT_EQ(sorted[0].key.ordinal, 49);
  EXPECT_EQ(sorted[1].key.ordinal, 99);
  EXPECT_EQ(sorted[2].key.ordinal, 48);
}

TEST(RouteTableTest, BoundedNumberOfRoutes) {
  RouteTable routes;
  EXPECT_EQ(routes.Text(RouteTable::kUnfinished), "(unfinished)");
  const uint32_t first = routes.Intern("GET /");
  EXPECT_EQ(routes.Intern("GET /"), first);
  for (size_t i = 1; i < RouteTable::kMaxRoutes; ++i) {
    routes.Intern("GET /" + std::to_string(i));
  }
  EXPECT_FALSE(routes.overflowed());
  const uint32_t size = routes.size();
  EXPECT_EQ(routes.Intern("GET /another"), RouteTable::kOther);
  EXPECT_EQ(routes.size(), size);
  EXPECT_TRUE(routes.overflowed());
  routes.Keep("GET /asked/for");
  EXPECT_EQ(routes.Intern("GET /another"), RouteTable::kOther);
  EXPECT_EQ(routes.Text(routes.Intern("GET /asked/for")), "GET /asked/for");
}

}  // namespace
}  // namespace edgewise
