#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/sample/load.h"
#include "compare/sample/side.h"
#include "compare/verdict/estimates.h"

namespace edgewise {

inline constexpr std::array<double, 4> kComparedPercentiles = {50, 90, 99,
                                                               99.9};

struct PercentileDifference {
  double percentile;
  double a_ns;
  double b_ns;
  Difference ratio;
  Difference same;          // one half of A against the other: what is noise;
                            // or A against the second A
  Difference standardised;  // with A's mixture of routes on both sides
  Difference by_client;     // connections are drawn, not time; NaN: too few
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

// The same of a part in detail.
struct DetailDifference {
  uint32_t detail;  // SideNames'; kOthers: all that are not told
  LatencyPart part;
  double a_ns;
  double b_ns;
  Difference ns;

  static constexpr uint32_t kOthers = UINT32_MAX;
};

// What a latency is made of: the parts sum to the mean, and the details of a
// part to the part.
struct Why {
  std::vector<PartDifference> parts;
  std::vector<DetailDifference> details;  // those that differ most first
};

// One point of the shift function.
struct ShiftPoint {
  double share;      // of the requests, that are at most so long
  Difference ratio;  // the intervals of all points hold together
};

// Of all requests of a side.
struct RouteShare {
  uint32_t route;
  double a;
  double b;
};

struct Comparison {
  uint64_t a_requests = 0;
  uint64_t b_requests = 0;
  double memory_ns = 0;  // of the latency: what is farther apart is independent
  double block_ns = 0;
  uint64_t a_blocks = 0;
  uint64_t b_blocks = 0;
  bool concurrent = false;  // the sides were recorded at the same time
  bool second = false;      // there was a second A
  std::vector<PercentileDifference> percentiles;
  std::vector<ShiftPoint> shift;
  std::vector<RouteDifference> routes;
  Why all;          // of all requests
  Why tail;         // of each side's slowest 1 %
  Difference rate;  // requests a second
  Load a_load;
  Load b_load;
  std::vector<RouteShare> shares;
  double mixture = 0;  // largest difference of a route's share of the requests
  uint64_t a_clients = 0;  // connections; 0: they are not known
  uint64_t b_clients = 0;
  std::vector<std::string> refused;  // why nothing can be said
  std::vector<std::string> untold;   // percentiles that are not, and why
};

struct CompareOptions {
  uint32_t resamples = 10'000;
  uint64_t seed = 1;
  double block_ns = 0;               // 0: ten times the memory of the latency
  bool always = false;               // the intervals of all looks hold together
  bool brief = false;                // percentiles, and no more
  const SideNames* names = nullptr;  // of the details; null: there are none
  size_t told = 6;                   // so many details of a part are told
  const Side* second_a = nullptr;    // recorded as A was; null: A's halves
};

// Whether B is slower than A. The unit is a block of time, ten times as long as
// the latency remembers (NSDI'18, section 3.2: requests are not independent);
// intervals come from the moving-block bootstrap. Where both were recorded at
// the same time, blocks of the same time are drawn together.
Comparison Compare(Side a, Side b, const CompareOptions& options);

}  // namespace edgewise
