#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/graph/dependency.h"
#include "analysis/stream/route_filter.h"
#include "analysis/stream/route_table.h"
#include "analysis/stream/watched_traces.h"
#include "whatif/model/model.h"

namespace edgewise {

// The models of all loops of a recording.
struct RecordedLoops {
  RouteTable routes;
  DependencyTable dependencies;
  std::vector<LoopModel> loops;  // those that answered a request
  uint64_t left_out = 0;         // requests
  uint64_t files = 0;            // that were read
};

// Fits each file of one pass over the traces. `skip_ns`: what comes so soon
// after the first request is left out.
RecordedLoops FitLoops(WatchedTraces* traces, const RouteFilter& routes,
                       int64_t skip_ns);

// Of a directory. NotFound: it has no usable trace, or no request.
absl::StatusOr<RecordedLoops> ReadRecordedLoops(const std::string& directory,
                                                int64_t skip_ns);

}  // namespace edgewise
