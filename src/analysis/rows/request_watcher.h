#pragma once

#include <string>

#include "absl/status/status.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/rows/row_context.h"
#include "analysis/stream/event_stream.h"
#include "analysis/stream/request_routes.h"
#include "analysis/tail/statistics.h"

namespace edgewise {

// Is told of all that an analysis finds, while it reads: file by file, each
// request with what it waited for.
class RequestWatcher : public LoopWatcher {
 public:
  // How the report counts a request.
  struct Standing {
    bool counted;
    bool tail;
  };

  // Before anything else. All are valid until Close().
  virtual void Begin(const RowNames& names, const LoopTimeline* timeline) = 0;
  virtual void BeginFile(const std::string& name, const EventStream* stream,
                         const RequestRoutes* request_routes) = 0;
  virtual void AddRequest(const EndedRequest& request,
                          const Components& components,
                          const Standing& standing) = 0;
  virtual void AddAborted(const AbortedRequest& request, bool counted) = 0;
  virtual void EndFile(const GraphCounts& counts) = 0;
  // All files are read. Unavailable: what it makes of them could not be
  // written.
  virtual absl::Status Close() = 0;
};

}  // namespace edgewise
