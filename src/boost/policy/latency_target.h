#pragma once

#include <cstdint>

#include "boost/policy.h"
#include "boost/policy/latency_quantile.h"

namespace edgewise {

// The latency that a policy defends: PolicyConfig::target_ns, or `margin` times
// the running percentile of the latencies that it is told of.
class LatencyTarget {
 public:
  LatencyTarget(const PolicyConfig& config, double margin)
      : fixed_ns_(config.target_ns),
        margin_(margin),
        seen_(config.percentile) {}

  void Add(int64_t latency_ns) {
    if (fixed_ns_ == 0) seen_.Add(latency_ns);
  }

  // 0: not known yet.
  int64_t value_ns() const {
    if (fixed_ns_ != 0) return fixed_ns_;
    return static_cast<int64_t>(margin_ *
                                static_cast<double>(seen_.value_ns()));
  }

 private:
  const int64_t fixed_ns_;
  const double margin_;
  LatencyQuantile seen_;
};

}  // namespace edgewise
