#include "compare/verdict/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "compare/verdict/estimates.h"
#include "test/native/compare/sides.h"

namespace edgewise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr CompareOptions kQuick = {.resamples = 1000};
constexpr int64_t kAnotherTime = 1'700'000'000'000'000'000 + 1'000'000'000'000;

const PercentileDifference& At(const Comparison& found, double percentile) {
  for (const PercentileDifference& each : found.percentiles) {
    if (each.percentile == percentile) return each;
  }
  ADD_FAILURE() << "no p" << percentile;
  return found.percentiles[0];
}

TEST(ComparisonTest, AFifthSlowerIsTold) {
  const Comparison found = Compare(
      MadeSide({.seed = 1}),
      MadeSide({.seed = 2, .slower = 1.2, .begin_ns = kAnotherTime}), kQuick);
  const Difference& median = At(found, 50).ratio;
  EXPECT_TRUE(median.IsSure());
  EXPECT_LT(median.low, 0.2);
  EXPECT_GT(median.high, 0.2);
  EXPECT_FALSE(found.concurrent);
  EXPECT_THAT(found.refused, Not(Contains(HasSubstr("blocks"))));
}

TEST(ComparisonTest, OfTheSameNothingIsSureMostly) {
  int sure = 0;
  constexpr int kPairs = 40;
  for (uint64_t i = 0; i < kPairs; ++i) {
    const Comparison found = Compare(
        MadeSide({.seed = 2 * i + 1, .seconds = 30}),
        MadeSide({.seed = 2 * i + 2, .seconds = 30, .begin_ns = kAnotherTime}),
        {.resamples = 300, .seed = i + 1});
    sure += At(found, 50).ratio.IsSure() ? 1 : 0;
  }
  // Of 5 % of 40 more than 7 are there once in a thousand times.
  EXPECT_LE(sure, 7);
}

TEST(ComparisonTest, AMixtureIsNoSlowdown) {
  const Comparison found = Compare(
      MadeSide({.seed = 1}),
      MadeSide({.seed = 2, .heavy = 0.6, .begin_ns = kAnotherTime}), kQuick);
  EXPECT_GT(At(found, 50).ratio.low, 0.2);
  const Difference& standardised = At(found, 50).standardised;
  EXPECT_LT(std::abs(standardised.value), 0.1);
  EXPECT_NEAR(found.mixture, 0.3, 0.05);
  EXPECT_THAT(found.refused, Contains(HasSubstr("the share of a route")));
}

TEST(ComparisonTest, WhatCameAtTheSameTimeIsDrawnTogether) {
  const Side a = MadeSide({.seed = 1, .seconds = 120});
  Side b = a;
  for (ComparedRequest& request : b.runs[0].requests) {
    request.latency_ns *= 1.05F;
  }
  const Comparison found = Compare(a, b, kQuick);
  EXPECT_TRUE(found.concurrent);
  const Difference& p99 = At(found, 99).ratio;
  EXPECT_TRUE(p99.IsSure()) << "they share their noise";
  EXPECT_NEAR(p99.value, 0.05, 0.01);
  EXPECT_THAT(found.refused, IsEmpty());
}

TEST(ComparisonTest, PartsSumToTheDifferenceOfTheMeans) {
  const Side a = MadeSide({.seed = 1});
  Side b = a;
  for (ComparedRequest& request : b.runs[0].requests) {
    request.latency_ns += 1e6F;
    request.parts_ns[static_cast<size_t>(LatencyPart::kQueue)] += 1e6F;
  }
  const Comparison found = Compare(a, b, kQuick);
  ASSERT_EQ(found.all.parts.size(), kLatencyParts);
  double sum_ns = 0;
  for (const PartDifference& each : found.all.parts) {
    sum_ns += each.ns.value;
    const bool changed = each.part == LatencyPart::kQueue;
    EXPECT_NEAR(each.ns.value, changed ? 1e6 : 0, 100);
    EXPECT_EQ(each.ns.IsSure(), changed);
  }
  EXPECT_NEAR(sum_ns, 1e6, 500);
}

TEST(ComparisonTest, OneSlowRouteIsNamedAndTheOtherIsNot) {
  const Side a = MadeSide({.seed = 1});
  Side b = MadeSide({.seed = 2, .begin_ns = kAnotherTime});
  for (ComparedRequest& request : b.runs[0].requests) {
    if (request.route == 2) request.latency_ns *= 1.4F;
  }
  const Comparison found = Compare(a, b, kQuick);
  ASSERT_EQ(found.routes.size(), 2u);
  EXPECT_EQ(found.routes[0].route, 2u);
  EXPECT_LT(found.routes[0].chance, 0.01);
  EXPECT_GT(found.routes[1].chance, 0.05);
}

TEST(ComparisonTest, TooShortIsRefusedWithHowLongItMustBe) {
  const Comparison found = Compare(
      MadeSide({.seed = 1, .seconds = 3, .memory_s = 0.5}),
      MadeSide(
          {.seed = 2, .seconds = 3, .memory_s = 0.5, .begin_ns = kAnotherTime}),
      kQuick);
  EXPECT_THAT(found.refused, Contains(HasSubstr("are too few")));
}

TEST(ComparisonTest, ATailOfFewIsRefused) {
  const Comparison found =
      Compare(MadeSide({.seed = 1}),
              MadeSide({.seed = 2, .begin_ns = kAnotherTime}), kQuick);
  EXPECT_THAT(found.untold, Contains(HasSubstr("p99.9 has 12 requests")));
  EXPECT_EQ(found.percentiles.size(), 3u);
}

TEST(ComparisonTest, AnotherLoadAtAnotherTimeIsRefused) {
  const Comparison found = Compare(
      MadeSide({.seed = 1}),
      MadeSide({.seed = 2, .per_second = 300, .begin_ns = kAnotherTime}),
      kQuick);
  EXPECT_THAT(found.refused, Contains(HasSubstr("what the load does")));
}

TEST(ComparisonTest, ASideThatDriftsIsRefused) {
  Side a = MadeSide({.seed = 1, .common = 0.05});
  // Every other block is as slow again.
  const double block_ns = 1e9;
  for (ComparedRequest& request : a.runs[0].requests) {
    const auto block = static_cast<int64_t>(
        static_cast<double>(request.at_ns - a.runs[0].begin_ns) / block_ns);
    if (block % 2 == 1) request.latency_ns *= 1.5F;
  }
  CompareOptions options = kQuick;
  options.block_ns = block_ns;
  const Comparison found = Compare(
      a, MadeSide({.seed = 2, .common = 0.05, .begin_ns = kAnotherTime}),
      options);
  EXPECT_THAT(found.refused, Contains(HasSubstr("A does not repeat itself")));
}

TEST(ComparisonTest, TheBandOfTheShiftHoldsTheWholeFunction) {
  const Comparison found = Compare(
      MadeSide({.seed = 1}),
      MadeSide({.seed = 2, .slower = 1.2, .begin_ns = kAnotherTime}), kQuick);
  ASSERT_EQ(found.shift.size(), 19u);
  for (const ShiftPoint& point : found.shift) {
    EXPECT_LT(point.ratio.low, 0.2) << point.share;
    EXPECT_GT(point.ratio.high, 0.2) << point.share;
  }
}

TEST(ComparisonTest, WithoutRequestsNothingIsSaid) {
  const Comparison found = Compare(Side{}, Side{}, kQuick);
  EXPECT_THAT(found.percentiles, IsEmpty());
  EXPECT_THAT(found.refused, Contains("A has no request"));
}

TEST(EstimatesTest, StudentsQuantiles) {
  EXPECT_NEAR(StudentOf(19), 2.093, 0.002);
  EXPECT_NEAR(StudentOf(4), 2.776, 0.02);
  EXPECT_NEAR(StudentOf(1e6), 1.96, 0.001);
}

TEST(EstimatesTest, WhatBlocksCutOffIsAdded) {
  const Estimates blocks{0, {-1, 1, -1, 1}};
  const Estimates halves{0, {-0.8, 0.8, -0.8, 0.8}};
  const Sureness sureness(100, false);
  const double error = sureness.ErrorOf(blocks);
  // 2 - 0.8 squared.
  EXPECT_NEAR(sureness.For(blocks, halves).ErrorOf(blocks),
              error * std::sqrt(1.36), 1e-9);
  EXPECT_NEAR(sureness.For(halves, blocks).ErrorOf(blocks), error, 1e-9)
      << "it never takes anything off";
}

TEST(EstimatesTest, ChanceOfTwoErrors) {
  EXPECT_NEAR(ChanceOf(1.959964), 0.05, 1e-6);
  EXPECT_NEAR(ChanceOf(-1.959964), 0.05, 1e-6);
}

}  // namespace
}  // namespace edgewise
