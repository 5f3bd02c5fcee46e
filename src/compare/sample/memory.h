#pragma once

#include <cstdint>

#include "compare/sample/side.h"

namespace edgewise {

// For how long the latency of a side remembers what it was: the integrated
// autocorrelation time of its mean logarithm, with Sokal's window. What is
// farther apart counts as independent. At least the time between requests.
double MemoryNs(const Side& side);

}  // namespace edgewise
