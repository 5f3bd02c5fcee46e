#pragma once

#include <cstdint>
#include <vector>

namespace edgewise {

// Tests that take each request for independent of all others, as many tools do.

// The chance that one is shifted against the other is below 5 % (Mann and
// Whitney's test, with the normal approximation).
bool RanksDiffer(std::vector<float> one, std::vector<float> other);

// The 95 % interval of the ratio of a quantile, from requests that are drawn
// one by one, is on one side of 1.
bool BootstrapDiffers(std::vector<float> one, std::vector<float> other,
                      double share, uint32_t resamples, uint64_t seed);

}  // namespace edgewise
