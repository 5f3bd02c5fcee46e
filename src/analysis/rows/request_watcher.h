#pragma once

#include <algorithm>
#include <cstdint>
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

// One that keeps what it was told of the analysis and of the file being read.
class RowWatcher : public RequestWatcher {
 public:
  void Begin(const RowNames& names, const LoopTimeline* timeline) override {
    names_ = names;
    timeline_ = timeline;
  }
  void BeginFile(const std::string& name, const EventStream* stream,
                 const RequestRoutes* request_routes) override {
    context_.Begin(name, stream, request_routes);
  }
  void AddAborted(const AbortedRequest& /*request*/,
                  bool /*counted*/) override {}
  void EndFile(const GraphCounts& /*counts*/) override {}
  absl::Status Close() override { return absl::OkStatus(); }
  void OnEvent(const Event& /*event*/, uint64_t /*first_piece*/) override {}
  void OnOwner(uint32_t owner, uint32_t request, uint64_t ordinal) override {
    context_.NoteOwner(owner, request, ordinal);
  }

 protected:
  RowContext context_;
  RowNames names_{};
  const LoopTimeline* timeline_ = nullptr;
};

// `visit(owner, ns)` for each piece of another request's that ran while this
// one waited for the loop; garbage collections are nobody's.
template <typename Visit>
void ForEachBlocker(const EndedRequest& request, const LoopTimeline& timeline,
                    Visit visit) {
  for (const QueueSpan& span : request.path.spans) {
    // The hint may lie far before what the span waited for.
    uint64_t number =
        timeline.Between(span.from_ns, span.from_piece, span.to_piece).first;
    for (; number < span.to_piece; ++number) {
      const Piece& piece = timeline.At(number);
      const bool others = piece.owner != 0 && !piece.is_gc &&
                          piece.owner != request.graph.owner;
      if (!others || piece.end_ns <= span.from_ns) continue;
      visit(piece.owner, piece.end_ns - std::max(piece.begin_ns, span.from_ns));
    }
  }
}

}  // namespace edgewise
