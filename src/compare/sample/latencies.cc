#include "compare/sample/latencies.h"

#include <algorithm>
#include <cmath>

namespace edgewise {
namespace {

constexpr double kRatio = 1.0025;
constexpr double kShortestNs = 1000;

size_t BucketOf(float ns) {
  if (!(ns > kShortestNs)) return 0;
  static const double kLog = std::log(kRatio);
  return static_cast<size_t>(std::log(ns / kShortestNs) / kLog) + 1;
}

double DotOf(const float* one, std::span<const float> other) {
  float sum[4] = {};
  size_t i = 0;
  for (; i + 4 <= other.size(); i += 4) {
    for (size_t k = 0; k < 4; ++k) sum[k] += one[i + k] * other[i + k];
  }
  for (; i < other.size(); ++i) sum[0] += one[i] * other[i];
  return double{sum[0]} + sum[1] + sum[2] + sum[3];
}

// The first bucket of [0, buckets) for which it is true; the last if none.
template <typename Is>
size_t FirstBucket(size_t buckets, Is is) {
  size_t low = 0;
  size_t high = buckets - 1;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (is(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

double Latencies::NsOf(size_t bucket) {
  return kShortestNs * std::pow(kRatio, static_cast<double>(bucket) - 0.5);
}

void Latencies::Add(size_t bin, float ns) {
  const size_t bucket = BucketOf(ns);
  buckets_ = std::max(buckets_, bucket + 1);
  added_.push_back({bin, bucket});
}

void Latencies::Finish() {
  at_most_.assign(buckets_ * bins_, 0);
  for (const One& one : added_) ++at_most_[one.bucket * bins_ + one.bin];
  for (size_t i = bins_; i < at_most_.size(); ++i) {
    at_most_[i] += at_most_[i - bins_];
  }
  added_ = {};
}

double Latencies::Below(size_t bucket, std::span<const float> weights) const {
  if (buckets_ == 0) return 0;
  const size_t row = std::min(bucket, buckets_ - 1);
  return DotOf(at_most_.data() + row * bins_, weights);
}

double Latencies::Count(std::span<const float> weights) const {
  return buckets_ == 0 ? 0 : Below(buckets_ - 1, weights);
}

double Latencies::Quantile(double share, std::span<const float> weights) const {
  const double count = Count(weights);
  if (count <= 0) return std::nan("");
  const double wanted = std::ceil(share * count);
  return NsOf(FirstBucket(buckets_, [&](size_t bucket) {
    return Below(bucket, weights) >= wanted;
  }));
}

double MixedQuantile(double share, std::span<const Latencies* const> parts,
                     std::span<const double> shares,
                     std::span<const float> weights) {
  std::vector<double> factors;
  size_t buckets = 0;
  double all = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    factors.push_back(0);
    if (shares[i] <= 0) continue;
    const double count = parts[i]->Count(weights);
    if (count <= 0) return std::nan("");
    factors.back() = shares[i] / count;
    all += shares[i];
    buckets = std::max(buckets, parts[i]->buckets());
  }
  if (buckets == 0) return std::nan("");
  return Latencies::NsOf(FirstBucket(buckets, [&](size_t bucket) {
    double below = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (factors[i] > 0)
        below += factors[i] * parts[i]->Below(bucket, weights);
    }
    return below >= share * all;
  }));
}

}  // namespace edgewise
