#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compare/verdict/comparison.h"
#include "compare/verdict/estimates.h"
#include "test/native/compare/sides.h"

// Intervals that hold however often one looks.

namespace edgewise {
namespace {

TEST(AlwaysTest, IsWiderThanOneLook) {
  EXPECT_NEAR(Sureness(40, false).errors(), 1.96, 0.001);
  // With the narrowest at 40 blocks.
  EXPECT_NEAR(Sureness(40, true).errors(), 3.03, 0.02);
  EXPECT_GT(Sureness(4000, true).errors(), 3.03);
}

TEST(AlwaysTest, TheIntervalIsAsWideAsItsErrors) {
  const Estimates values{0.1, {0, 0.1, 0.2, 0.1}};
  const Sureness sureness(40, true);
  const Difference found = sureness.DifferenceOf(values);
  EXPECT_DOUBLE_EQ(found.value, 0.1);
  EXPECT_NEAR(found.high - found.value,
              sureness.errors() * sureness.ErrorOf(values), 1e-12);
  EXPECT_NEAR(found.value - found.low, found.high - found.value, 1e-12);
}

// Of pairs that are alike, how many are said to differ at any of many looks.
int SaidToDiffer(bool always) {
  constexpr int64_t kLater = 1'000'000'000'000;
  constexpr double kBlockNs = 1e9;
  int said = 0;
  for (uint64_t pair = 0; pair < 30; ++pair) {
    const SideSpec spec{.seed = 2 * pair + 1, .seconds = 100};
    SideSpec other = spec;
    other.seed = 2 * pair + 2;
    other.begin_ns += kLater;
    const Side a = MadeSide(spec);
    const Side b = MadeSide(other);
    bool differs = false;
    for (int64_t seconds = 20; seconds <= 100; seconds += 8) {
      const auto cut = [&](Side side) {
        Run& run = side.runs[0];
        run.end_ns = run.begin_ns + seconds * 1'000'000'000;
        std::erase_if(run.requests, [&](const ComparedRequest& request) {
          return request.at_ns > run.end_ns;
        });
        return side;
      };
      const Comparison found = Compare(cut(a), cut(b),
                                       {.resamples = 300,
                                        .seed = 1,
                                        .block_ns = kBlockNs,
                                        .always = always});
      for (const PercentileDifference& each : found.percentiles) {
        if (each.percentile == 50) differs |= each.ratio.IsSure();
      }
    }
    said += differs ? 1 : 0;
  }
  return said;
}

TEST(AlwaysTest, ManyLooksAreNoFalseAlarms) {
  // Of 5 % of 30 more than 5 are there less than once in a hundred times.
  EXPECT_LE(SaidToDiffer(true), 5);
  EXPECT_GT(SaidToDiffer(false), SaidToDiffer(true));
}

}  // namespace
}  // namespace edgewise
