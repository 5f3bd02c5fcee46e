#pragma once

#include <cmath>
#include <cstdint>

#include "load/random.h"

namespace edgewise::load {

// A Poisson process: independent exponential gaps whose mean is 1 / rate. This
// is what many independent users look like to a server, and what makes the load
// open: the next arrival does not wait for the last response.
class PoissonArrivals {
 public:
  // `rate_per_s` > 0. Equal seeds give equal arrival times.
  PoissonArrivals(double rate_per_s, uint64_t seed)
      : mean_gap_ns_(1e9 / rate_per_s), random_(seed) {}

  // Time of the next arrival, in ns from the start of the process. Never less
  // than the one before it. The sum is kept in a double: its 53 bits hold 104
  // days of ns, so rounding does not bias the rate.
  int64_t NextNs() {
    elapsed_ns_ -= std::log1p(-random_.Unit()) * mean_gap_ns_;
    return static_cast<int64_t>(elapsed_ns_);
  }

 private:
  const double mean_gap_ns_;
  double elapsed_ns_ = 0;
  Random random_;
};

}  // namespace edgewise::load
