#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace edgewise {

// The latencies of each bin, so that percentiles of any weights of the bins are
// found at once. Relative resolution: 0.25 %.
class Latencies {
 public:
  // So many bins.
  explicit Latencies(size_t bins) : bins_(bins) {}

  void Add(size_t bin, float ns);
  // All are added.
  void Finish();

  // How many there are with those weights.
  double Count(std::span<const float> weights) const;
  // Of them, how many are at most so long.
  double Below(size_t bucket, std::span<const float> weights) const;
  // ns; NaN of none. `share`: (0, 1].
  double Quantile(double share, std::span<const float> weights) const;

  size_t buckets() const { return buckets_; }
  static double NsOf(size_t bucket);

 private:
  struct One {
    size_t bin;
    size_t bucket;
  };

  size_t bins_;
  std::vector<One> added_;
  size_t buckets_ = 0;          // above the highest
  std::vector<float> at_most_;  // [bucket][bin]
};

// The quantile of several, each of which has a share of all: those shares, not
// how many there are, decide. ns; NaN where one that has a share has none.
double MixedQuantile(double share, std::span<const Latencies* const> parts,
                     std::span<const double> shares,
                     std::span<const float> weights);

}  // namespace edgewise
