#pragma once

#include <cstdint>

#include "boost/policy.h"
#include "boost/policy/latency_quantile.h"

namespace edgewise {

// The latency that a policy defends: PolicyConfig::target_ns, or the running
// percentile of the latencies that it is told of.
class LatencyTarget {
 public:
  explicit LatencyTarget(const PolicyConfig& config)
      : fixed_ns_(config.target_ns), seen_(config.percentile) {}

  void Add(int64_t latency_ns) {
    if (fixed_ns_ == 0) seen_.Add(latency_ns);
  }

  // 0: not known yet.
  int64_t value_ns() const {
    return fixed_ns_ != 0 ? fixed_ns_ : seen_.value_ns();
  }

 private:
  const int64_t fixed_ns_;
  LatencyQuantile seen_;
};

}  // namespace edgewise
