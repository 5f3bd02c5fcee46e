#pragma once

#include <cstdint>

#include "compare/sample/bins.h"
#include "compare/verdict/comparison.h"
#include "compare/verdict/estimates.h"
#include "compare/verdict/resampler.h"
#include "compare/verdict/side_tables.h"

namespace edgewise {

// Where the mean latency of B differs from A's.
struct WhyInput {
  const SideTables* a;
  const SideTables* b;
  const Resampler<Bins>* draws;
  Sureness sureness;
  const CompareOptions* options;
  uint32_t resamples;
};
Why WhyOf(const WhyInput& input, bool tail);

}  // namespace edgewise
