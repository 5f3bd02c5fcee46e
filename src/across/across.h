#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/stream/progress.h"
#include "analysis/stream/route_filter.h"

namespace edgewise {

struct AcrossOptions {
  std::vector<std::string> directories;  // one recording each
  double percentile = 99;
  std::vector<std::string> left_out;  // routes
  int64_t skip_ns = 0;
  int64_t slowest = 5;
  std::vector<std::string> scratch;
  AnalysisProgress* progress = nullptr;  // may be null
};

// Reads the recordings of several services, and joins what one has called with
// what another has served: JSON, {"schema": 1, "services", "calls", "slowest"}
// (docs/across.md). Errors as BuildReport's, of the first recording that has
// one.
absl::StatusOr<std::string> BuildAcross(const AcrossOptions& options);

}  // namespace edgewise
