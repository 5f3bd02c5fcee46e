#include "compare/verdict/estimates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace edgewise {
namespace {

constexpr double kMissed = 0.05;       // intervals that do not hold
constexpr double kNarrowestAt = 40.0;  // blocks; of a confidence sequence

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

// Drawn values stand as far apart as blocks do that are as many as they seem:
// they are a little too close together.
double Sureness::WiderBy() const {
  const double freedom = std::max(1.0, blocks_ - 1);
  return cut_ * StudentOf(freedom) / kTwoSides *
         std::sqrt((freedom + 1) / freedom);
}

Sureness Sureness::For(const Estimates& blocks, const Estimates& halves) const {
  Sureness wider = *this;
  const double ratio = ErrorOf(halves) / ErrorOf(blocks);
  if (std::isfinite(ratio)) {
    wider.cut_ = cut_ * std::sqrt(std::max(1.0, 2 - ratio * ratio));
  }
  return wider;
}

double Sureness::errors() const {
  if (!always_) return kTwoSides;
  const double log = -2 * std::log(kMissed);
  const double rho2 = (log + std::log(log + 1)) / kNarrowestAt;
  const double t = std::max(1.0, blocks_) * rho2;
  return std::sqrt(2 * (t + 1) / t * std::log(std::sqrt(t + 1) / kMissed));
}

Difference Sureness::DifferenceOf(const Estimates& values) const {
  if (values.drawn.size() < 2 || !std::isfinite(values.value)) {
    return {std::nan(""), std::nan(""), std::nan("")};
  }
  if (always_) {
    const double reach = errors() * ErrorOf(values);
    return {values.value, values.value - reach, values.value + reach};
  }
  std::vector<double> sorted = values.drawn;
  std::sort(sorted.begin(), sorted.end());
  // Of n draws the k-th leaves k / (n + 1) beyond it (Efron and Tibshirani, An
  // Introduction to the Bootstrap, section 12.5).
  const auto n = static_cast<double>(sorted.size());
  const auto beyond =
      static_cast<size_t>(std::max(0.0, std::floor(kMissed / 2 * (n + 1)) - 1));
  const double middle =
      (sorted[sorted.size() / 2] + sorted[(sorted.size() - 1) / 2]) / 2;
  return {
      values.value, values.value - WiderBy() * (middle - sorted[beyond]),
      values.value + WiderBy() * (sorted[sorted.size() - 1 - beyond] - middle)};
}

Difference Sureness::RatioOf(const Estimates& logs) const {
  const Difference log = DifferenceOf(logs);
  return {std::expm1(log.value), std::expm1(log.low), std::expm1(log.high)};
}

double Sureness::ErrorOf(const Estimates& values) const {
  const size_t count = values.drawn.size();
  if (count < 2) return std::nan("");
  double mean = 0;
  for (const double each : values.drawn) mean += each;
  mean /= static_cast<double>(count);
  double squares = 0;
  for (const double each : values.drawn) {
    squares += (each - mean) * (each - mean);
  }
  return std::sqrt(squares / static_cast<double>(count - 1)) * WiderBy();
}

}  // namespace edgewise
