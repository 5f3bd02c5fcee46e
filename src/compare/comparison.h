#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/side.h"

namespace edgewise {

inline constexpr std::array<double, 4> kComparedPercentiles = {50, 90, 99,
                                                               99.9};

// An estimate with its 95 % interval. Of a ratio: B / A - 1.
struct Difference {
  double value = 0;
  double low = 0;
  double high = 0;

  bool IsSure() const { return low > 0 || high < 0; }
};

struct PercentileDifference {
  double percentile;
  double a_ns;
  double b_ns;
  Difference ratio;
  Difference same;          // one half of A against the other: what is noise
  Difference standardised;  // with A's mixture of routes on both sides
  double smallest;  // of the effects that this much data would show, in four of
                    // five cases
};

struct RouteDifference {
  uint32_t route;
  uint64_t a_requests;
  uint64_t b_requests;
  Difference median;  // of its latency
  Difference p99;
  double chance;  // that the larger of the two is by chance (Holm)
};

// ns of a request's mean latency.
struct PartDifference {
  LatencyPart part;
  double a_ns;
  double b_ns;
  Difference ns;
};

// One point of the shift function.
struct ShiftPoint {
  double share;      // of the requests, that are at most so long
  Difference ratio;  // the intervals of all points hold together
};

struct Comparison {
  uint64_t a_requests = 0;
  uint64_t b_requests = 0;
  double memory_ns = 0;  // of the latency: what is farther apart is independent
  double block_ns = 0;
  uint64_t a_blocks = 0;
  uint64_t b_blocks = 0;
  bool concurrent = false;  // the sides were recorded at the same time
  std::vector<PercentileDifference> percentiles;
  std::vector<ShiftPoint> shift;
  std::vector<RouteDifference> routes;
  std::vector<PartDifference> parts;       // of all requests
  std::vector<PartDifference> tail_parts;  // of each side's slowest 1 %
  Difference rate;                         // requests a second
  double mixture = 0;  // largest difference of a route's share of the requests
  std::vector<std::string> refused;  // why nothing can be said
};

struct CompareOptions {
  uint32_t resamples = 10'000;
  uint64_t seed = 1;
  double block_ns = 0;  // 0: ten times the memory of the latency
};

// Whether B is slower than A. The unit is a block of time, ten times as long as
// the latency remembers (NSDI'18, section 4: requests are not independent);
// intervals come from the moving-block bootstrap. Where both were recorded at
// the same time, blocks of the same time are drawn together.
Comparison Compare(const Side& a, const Side& b, const CompareOptions& options);

}  // namespace edgewise
