#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "boost/policy/log_buckets.h"

namespace edgewise {

// A running percentile of latencies. A histogram with 16 buckets an octave (a
// bucket is at most 1/16 of its values wide), half of which is forgotten every
// kHalfLife latencies; the percentile is taken anew every kRefresh of them.
class LatencyQuantile {
 public:
  static constexpr float kHalfLife = 32768;
  static constexpr uint32_t kRefresh = 64;

  // `percentile`: between 0 and 100, both excluded.
  explicit LatencyQuantile(double percentile)
      : above_(static_cast<float>((100 - percentile) / 100)) {}

  void Add(int64_t latency_ns);

  // 0 until enough was seen for two latencies to lie above the percentile.
  int64_t value_ns() const { return value_ns_; }

 private:
  using Buckets = LogBuckets<16>;

  void Forget();
  void Refresh();

  const float above_;  // share of the latencies
  std::array<float, Buckets::kCount> counts_{};
  float count_ = 0;
  uint32_t until_refresh_ = kRefresh;
  int64_t value_ns_ = 0;
};

}  // namespace edgewise
