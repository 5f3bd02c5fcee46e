#include "compare/verdict/estimates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

namespace edgewise {
namespace {

// Values 1 .. n in any order, the middle one told.
Estimates DrawnTo(size_t n) {
  Estimates estimates{static_cast<double>(n + 1) / 2, {}};
  for (size_t i = 0; i < n; ++i) {
    estimates.drawn.push_back(static_cast<double>((i * 7) % n + 1));
  }
  return estimates;
}

// With so many blocks nothing is widened.
const Sureness kSure(1e9, /*always=*/false);

// As many values are beyond each end as leave 2.5 %: no more, however few are
// drawn.
TEST(EstimatesTest, AnIntervalLeavesNoMoreThanItSays) {
  for (const size_t n : {199u, 999u, 9999u}) {
    const Difference found = kSure.DifferenceOf(DrawnTo(n));
    EXPECT_NEAR(found.low, 0.025 * static_cast<double>(n + 1), 1e-3) << n;
    EXPECT_NEAR(found.high, 0.975 * static_cast<double>(n + 1), 1e-3) << n;
  }
  const Difference found = kSure.DifferenceOf(DrawnTo(200));
  EXPECT_LE(found.low / 201, 0.025);
  EXPECT_GE(found.high / 201, 0.975 - 1e-9);
}

TEST(EstimatesTest, OfFewDrawsItIsAllOfThem) {
  const Difference found = kSure.DifferenceOf(DrawnTo(11));
  EXPECT_NEAR(found.low, 1, 1e-6);
  EXPECT_NEAR(found.high, 11, 1e-6);
}

TEST(EstimatesTest, OfOneDrawNothingIsKnown) {
  EXPECT_TRUE(std::isnan(kSure.DifferenceOf({3, {3}}).low));
}

}  // namespace
}  // namespace edgewise
