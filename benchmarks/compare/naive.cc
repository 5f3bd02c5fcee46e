#include "benchmarks/compare/naive.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>

namespace edgewise {
namespace {

constexpr double kNormal = 1.959964;

// Of as many drawn with replacement: the value at a rank of the draw is that at
// a rank of the sorted whole, which has a Beta distribution.
double DrawnQuantile(const std::vector<float>& sorted, double share,
                     std::mt19937_64* random) {
  const auto count = static_cast<double>(sorted.size());
  const double rank = std::ceil(share * count);
  std::gamma_distribution<double> below(rank);
  std::gamma_distribution<double> above(count - rank + 1);
  const double one = below(*random);
  const double at = one / (one + above(*random));
  const auto index = static_cast<size_t>(at * count);
  return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace

bool RanksDiffer(std::vector<float> one, std::vector<float> other) {
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  double below = 0;  // pairs in which the first is the smaller
  size_t k = 0;
  for (const float each : other) {
    while (k < one.size() && one[k] < each) ++k;
    below += static_cast<double>(k);
  }
  const auto m = static_cast<double>(one.size());
  const auto n = static_cast<double>(other.size());
  const double error = std::sqrt(m * n * (m + n + 1) / 12);
  return std::abs(below - m * n / 2) > kNormal * error;
}

bool BootstrapDiffers(std::vector<float> one, std::vector<float> other,
                      double share, uint32_t resamples, uint64_t seed) {
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  std::mt19937_64 random(seed);
  std::vector<double> logs;
  for (uint32_t i = 0; i < resamples; ++i) {
    logs.push_back(std::log(DrawnQuantile(other, share, &random) /
                            DrawnQuantile(one, share, &random)));
  }
  std::sort(logs.begin(), logs.end());
  const auto at = [&](double where) {
    return logs[static_cast<size_t>(where *
                                    static_cast<double>(resamples - 1))];
  };
  return at(0.025) > 0 || at(0.975) < 0;
}

}  // namespace edgewise
