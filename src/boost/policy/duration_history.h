#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "boost/policy/log_buckets.h"

namespace edgewise {

// How long something takes, learnt online, and how long it is still expected
// to take once it has run for a while. For durations with a heavy tail the
// latter grows with the time already spent: what has run for long is one of the
// long ones. That is the mean residual life, read from a histogram with two
// buckets an octave. Half of what is remembered is forgotten every kHalfLife
// durations.
class DurationHistory {
 public:
  static constexpr float kHalfLife = 2048;

  void Add(int64_t duration_ns);

  bool empty() const { return count_ == 0; }
  float count() const { return count_; }
  double mean_ns() const { return total_ns_[0]; }

  // The whole duration expected of what has run for `elapsed_ns` and runs on.
  // Always longer than that, and does not fall as time goes by. What has
  // outlasted all seen before is expected to take as long again.
  int64_t ExpectedTotalNs(int64_t elapsed_ns) const;

  // The time beyond `elapsed_ns` at which more than `total_ns` (itself more)
  // will be expected, to a bucket's bound; at most total_ns itself.
  int64_t ElapsedWhenExpected(int64_t elapsed_ns, int64_t total_ns) const;

 private:
  using Buckets = LogBuckets<2>;

  // Of the expectations; until as many are seen, each is taken at once.
  static constexpr uint32_t kRefresh = 32;

  void Forget();
  void Refresh();

  std::array<float, Buckets::kCount> counts_{};
  std::array<float, Buckets::kCount> sums_ns_{};
  // Mean of the durations in this bucket and all above; 0: there are none.
  std::array<float, Buckets::kCount> total_ns_{};
  float count_ = 0;
  uint32_t until_refresh_ = 0;
};

}  // namespace edgewise
