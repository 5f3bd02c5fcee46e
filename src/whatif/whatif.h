#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/stream/progress.h"
#include "analysis/stream/route_filter.h"
#include "analysis/stream/trace_set.h"
#include "whatif/prediction/change.h"

// Predictions from a trace: what the addon, the command line and the tests
// call.

namespace edgewise {

// The largest load at which a percentile stays below a limit.
struct LatencyGoal {
  double percentile;
  int64_t limit_ns;
};

struct WhatIfOptions {
  RouteFilter routes;
  int64_t skip_ns = 2'000'000'000;  // what came so soon after the first request
  uint32_t replications = 20;
  uint64_t seed = 1;
  std::vector<Scenario> scenarios;
  bool rank = false;  // also what is worth changing
  std::optional<LatencyGoal> goal;
  AnalysisProgress* progress = nullptr;  // is told how far it is; may be null
};

// Reads all traces in `dir` once, fits their models, and returns what the
// scenarios would do as JSON text ("schema": 1, docs/whatif.md).
// NotFound: no usable trace, no request, or nothing that a scenario changes.
// InvalidArgument: an option outside its range. Cancelled: `progress` was.
absl::StatusOr<std::string> BuildWhatIf(const std::string& dir,
                                        const WhatIfOptions& options);

// The same for files in memory.
absl::StatusOr<std::string> BuildWhatIf(std::span<const TraceBytes> files,
                                        const WhatIfOptions& options);

}  // namespace edgewise
