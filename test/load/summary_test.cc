#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "load/report.h"

namespace edgewise::load {
namespace {

TEST(Distribution, NearestRank) {
  std::vector<int64_t> values;
  for (int64_t i = 1000; i >= 1; --i) values.push_back(i);
  const Distribution distribution(values);
  EXPECT_EQ(distribution.QuantileNs(0), 1);
  EXPECT_EQ(distribution.QuantileNs(0.5), 500);
  EXPECT_EQ(distribution.QuantileNs(0.9), 900);
  EXPECT_EQ(distribution.QuantileNs(0.99), 990);
  EXPECT_EQ(distribution.QuantileNs(0.999), 999);
  EXPECT_EQ(distribution.QuantileNs(0.9991), 1000);
  EXPECT_EQ(distribution.QuantileNs(1), 1000);
  EXPECT_DOUBLE_EQ(distribution.mean_ns(), 500.5);
  EXPECT_NEAR(distribution.deviation_ns(), 288.675, 0.001);
  EXPECT_EQ(Distribution({}).QuantileNs(0.5), 0);
}

// Ten requests at 100 ms: two in the warm-up, one refused, one too late.
RunResult SmallRun() {
  RunResult result;
  result.start_ns = 1'000'000'000;
  result.measured_from_ns = 1'200'000'000;
  result.measured_to_ns = 2'000'000'000;
  result.realtime_offset_ns = 5'000'000'000;
  for (int i = 0; i < 10; ++i) {
    Sample& s = result.samples.emplace_back();
    s.intended_ns = 1'000'000'000 + i * 100'000'000;
    s.due_ns = s.intended_ns;
    s.dispatched_ns = s.intended_ns + 10'000;
    s.sent_ns = s.intended_ns + 20'000;
    s.first_byte_ns = s.intended_ns + 500'000;
    s.end_ns = s.intended_ns + 1'000'000 * (i + 1);
    s.status = i == 5 ? 404 : 200;
    s.warmup = i < 2;
  }
  result.samples[6].failure = Failure::kRefused;
  result.samples[6].status = 0;
  result.samples[9].end_ns = 2'500'000'000;
  return result;
}

RunLabel Of(std::vector<std::string> urls) {
  RunLabel label;
  label.urls = std::move(urls);
  return label;
}

const RunLabel kLabel = Of({"http://one"});

TEST(Summary, CountsMeasuredRequestsOnly) {
  const Summary summary(SmallRun(), kLabel, SingleGet("/"));
  EXPECT_EQ(summary.sent_total, 10u);
  EXPECT_EQ(summary.answered_total, 9u);
  EXPECT_EQ(summary.count, 7u);
  EXPECT_EQ(summary.errors, 1u);
  EXPECT_EQ(summary.by_failure[static_cast<int>(Failure::kRefused)], 1u);
  EXPECT_EQ(summary.non_2xx, 1u);
  EXPECT_DOUBLE_EQ(summary.duration_s, 0.8);
  EXPECT_DOUBLE_EQ(summary.offered_rate_per_s, 10);
  // Six of the seven came in time.
  EXPECT_DOUBLE_EQ(summary.achieved_rate_per_s, 7.5);
  EXPECT_EQ(summary.intended.QuantileNs(0), 3'000'000);
  EXPECT_EQ(summary.actual.QuantileNs(0), 2'980'000);
  EXPECT_EQ(summary.intended.max_ns(), 600'000'000);
  EXPECT_EQ(summary.lag.max_ns(), 10'000);
  EXPECT_FALSE(summary.lag_flagged);
}

TEST(Summary, FlagsLag) {
  RunResult result = SmallRun();
  for (Sample& s : result.samples) s.dispatched_ns = s.intended_ns + 1'500'000;
  EXPECT_TRUE(Summary(result, kLabel, SingleGet("/")).lag_flagged);
}

TEST(Summary, TellsServersApart) {
  RunResult result = SmallRun();
  for (size_t i = 6; i < 10; ++i) result.samples[i].server = 1;
  const Summary summary(result, Of({"http://one", "http://two"}),
                        SingleGet("/"));
  ASSERT_EQ(summary.servers.size(), 2u);
  const auto& one = summary.servers[0];
  const auto& two = summary.servers[1];
  EXPECT_EQ(one.name, "http://one");
  EXPECT_EQ(one.count, 4u);
  EXPECT_EQ(one.errors, 0u);
  EXPECT_EQ(one.non_2xx, 1u);
  EXPECT_EQ(one.intended.max_ns(), 6'000'000);
  EXPECT_EQ(two.name, "http://two");
  EXPECT_EQ(two.count, 3u);
  EXPECT_EQ(two.errors, 1u);
  EXPECT_EQ(two.intended.QuantileNs(0), 8'000'000);
}

TEST(WriteSamples, OneRowARequestWithTheWarmupMarked) {
  std::ostringstream out;
  WriteSamples(SmallRun(), SingleGet("/"), out);
  std::istringstream lines(out.str());
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 11u);
  EXPECT_EQ(rows[1],
            "0,GET /,1000000000,1000020000,1000500000,1001000000,200,0,"
            "6000020000,10000,warmup,");
  EXPECT_EQ(rows[7],
            "6,GET /,1600000000,1600020000,1600500000,1607000000,0,0,"
            "6600020000,10000,measured,refused");
}

TEST(WriteHgrm, IsMonotonicAndEndsAtTheMaximum) {
  std::vector<int64_t> values;
  for (int64_t i = 1; i <= 500; ++i) values.push_back(i * 1'000'000);
  std::ostringstream out;
  WriteHgrm(Distribution(values), out);
  std::istringstream lines(out.str());
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "       Value     Percentile TotalCount 1/(1-Percentile)");
  double last_value = 0, last_fraction = -1, value = 0, fraction = 0;
  unsigned long long count = 0;
  bool saw_median = false;
  while (std::getline(lines, line) && line[0] != '#') {
    if (std::sscanf(line.c_str(), "%lf %lf %llu", &value, &fraction, &count) !=
        3) {
      continue;
    }
    EXPECT_GE(value, last_value);
    EXPECT_GT(fraction, last_fraction);
    EXPECT_NEAR(value, static_cast<double>(count), 1e-9);  // by construction
    saw_median = saw_median || (fraction == 0.5 && value == 250);
    last_value = value;
    last_fraction = fraction;
  }
  EXPECT_TRUE(saw_median);
  EXPECT_EQ(last_value, 500);
  EXPECT_EQ(last_fraction, 1);
  EXPECT_EQ(count, 500u);
  EXPECT_NE(out.str().find("#[Max     =   500.000000, Total count    ="),
            std::string::npos);
}

}  // namespace
}  // namespace edgewise::load
