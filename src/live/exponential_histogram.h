#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace edgewise {

// Counts of durations in buckets whose upper bounds, in seconds, are powers of
// two: kPerOctave of them between one and the next, from 2^kFirst to 2^kLast.
// These are bounds of OpenTelemetry's exponential histograms, and of
// Prometheus's native ones, of scale log2(kPerOctave). A bucket holds its upper
// bound; the first one all that is smaller, the last one all that is larger.
template <int kFirst, int kLast, int kPerOctave>
class ExponentialHistogram {
 public:
  static constexpr size_t kBounds = (kLast - kFirst) * kPerOctave + 1;
  using Counts = std::array<uint64_t, kBounds + 1>;

  // In seconds.
  static double Bound(size_t i) {
    return std::exp2(kFirst + static_cast<double>(i) / kPerOctave);
  }

  void Add(int64_t ns) {
    const auto& bounds = BoundsNs();
    const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), ns);
    ++counts_[static_cast<size_t>(bucket - bounds.begin())];
    sum_ns_ += static_cast<double>(ns);
  }

  const Counts& counts() const { return counts_; }
  double sum_ns() const { return sum_ns_; }

 private:
  static const std::array<int64_t, kBounds>& BoundsNs() {
    static const auto kBoundsNs = [] {
      std::array<int64_t, kBounds> bounds{};
      for (size_t i = 0; i < kBounds; ++i) {
        bounds[i] = static_cast<int64_t>(std::floor(Bound(i) * 1e9));
      }
      return bounds;
    }();
    return kBoundsNs;
  }

  Counts counts_{};
  double sum_ns_ = 0;
};

}  // namespace edgewise
