#include "load/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace edgewise::load {
namespace {

TEST(PoissonArrivals, KeepsTheRateAndNeverGoesBack) {
  PoissonArrivals arrivals(5000, 7);
  constexpr int kCount = 200'000;
  int64_t last_ns = 0;
  for (int i = 0; i < kCount; ++i) {
    const int64_t next_ns = arrivals.NextNs();
    ASSERT_GE(next_ns, last_ns);
    last_ns = next_ns;
  }
  // The sum of n gaps deviates by 1 / sqrt(n): 0.22 %; allow four of it.
  EXPECT_NEAR(kCount / (static_cast<double>(last_ns) / 1e9), 5000,
              5000 * 0.009);
}

TEST(PoissonArrivals, GapsAreExponential) {
  constexpr double kRate = 1000;
  constexpr int kCount = 100'000;
  PoissonArrivals arrivals(kRate, 3);
  int64_t last_ns = 0;
  double sum = 0, squares = 0;
  int beyond_mean = 0, beyond_three = 0;
  for (int i = 0; i < kCount; ++i) {
    const int64_t next_ns = arrivals.NextNs();
    const double gap =
        static_cast<double>(next_ns - last_ns) / 1e6;  // in means
    last_ns = next_ns;
    sum += gap;
    squares += gap * gap;
    beyond_mean += gap > 1;
    beyond_three += gap > 3;
  }
  // Coefficient of variation 1; P(gap > t means) = e^-t.
  const double mean = sum / kCount;
  EXPECT_NEAR(std::sqrt(squares / kCount - mean * mean) / mean, 1, 0.02);
  EXPECT_NEAR(beyond_mean / double{kCount}, std::exp(-1), 0.006);
  EXPECT_NEAR(beyond_three / double{kCount}, std::exp(-3), 0.003);
}

TEST(PoissonArrivals, SeedDecidesTheTimes) {
  PoissonArrivals first(100, 1), again(100, 1), other(100, 2);
  int differing = 0;
  for (int i = 0; i < 100; ++i) {
    const int64_t at_ns = first.NextNs();
    EXPECT_EQ(at_ns, again.NextNs());
    differing += at_ns != other.NextNs();
  }
  EXPECT_GT(differing, 95);
}

TEST(Random, BelowIsUniformAndInRange) {
  Random random(11);
  std::vector<int> seen(7);
  for (int i = 0; i < 70'000; ++i) {
    const uint64_t draw = random.Below(7);
    ASSERT_LT(draw, 7u);
    ++seen[draw];
  }
  for (int count : seen) EXPECT_NEAR(count, 10'000, 400);
}

}  // namespace
}  // namespace edgewise::load
