#include "compare/estimates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace edgewise {
namespace {

// Drawn values stand as far apart as blocks do that are as many as they seem:
// they are a little too close together.
double WiderBy(double blocks) {
  const double freedom = std::max(1.0, blocks - 1);
  return StudentOf(freedom) / kTwoSides * std::sqrt((freedom + 1) / freedom);
}

}  // namespace

// Cornish and Fisher's expansion.
double StudentOf(double freedom) {
  const double z = kTwoSides;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) +
         (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) /
             (384 * freedom * freedom * freedom);
}

double ChanceOf(double errors) {
  return std::erfc(std::abs(errors) / std::sqrt(2.0));
}

Difference DifferenceOf(const Estimates& values, double blocks) {
  if (values.drawn.size() < 2 || !std::isfinite(values.value)) {
    return {std::nan(""), std::nan(""), std::nan("")};
  }
  std::vector<double> sorted = values.drawn;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return sorted[static_cast<size_t>(
        std::llround(share * static_cast<double>(sorted.size() - 1)))];
  };
  const double middle = at(0.5);
  const double wider = WiderBy(blocks);
  return {values.value, values.value - wider * (middle - at(0.025)),
          values.value + wider * (at(0.975) - middle)};
}

Difference RatioOf(const Estimates& logs, double blocks) {
  const Difference log = DifferenceOf(logs, blocks);
  return {std::expm1(log.value), std::expm1(log.low), std::expm1(log.high)};
}

double ErrorOf(const Estimates& values, double blocks) {
  const size_t count = values.drawn.size();
  if (count < 2) return std::nan("");
  double mean = 0;
  for (const double each : values.drawn) mean += each;
  mean /= static_cast<double>(count);
  double squares = 0;
  for (const double each : values.drawn) {
    squares += (each - mean) * (each - mean);
  }
  return std::sqrt(squares / static_cast<double>(count - 1)) * WiderBy(blocks);
}

}  // namespace edgewise
