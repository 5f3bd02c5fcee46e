#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/stream/progress.h"
#include "analysis/stream/route_filter.h"
#include "compare/reading/sides.h"

// Comparisons of traces: what the addon, the command line and the tests call.

namespace edgewise {

struct TraceComparison {
  std::vector<std::string> a;      // directories, recorded as things are
  std::vector<std::string> b;      // recorded after the change
  std::vector<std::string> same;   // once more as A; none: A's halves
  SplitBy by = SplitBy::kNothing;  // without `b`: each value of A's recordings
                                   // against the others
  RouteFilter routes;
  int64_t skip_ns = 2'000'000'000;  // what came so soon after the first request
  uint32_t resamples = 10'000;
  uint64_t seed = 1;
  double block_ns = 0;  // 0: ten times the memory of the latency
  bool always = false;  // the intervals of all looks at growing traces hold
  AnalysisProgress* progress = nullptr;  // is told how far it is; may be null
};

// Reads all traces, and returns whether B is slower as JSON text ("schema": 1,
// docs/compare.md).
// NotFound: no usable trace in a directory, or nothing to split.
// InvalidArgument: an option outside its range. Cancelled: `progress` was.
absl::StatusOr<std::string> BuildComparison(const TraceComparison& asked);

}  // namespace edgewise
