#pragma once

#include <cstdint>
#include <string>

#include "analysis/rows/request_watcher.h"
#include "analysis/rows/row_context.h"

namespace edgewise {

// Writes what an analysis finds for another tool, while it reads.
class Handover : public RequestWatcher {
 public:
  uint64_t written() const { return written_; }    // requests
  uint64_t left_out() const { return left_out_; }  // beyond the most

  // RequestWatcher
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

  // LoopWatcher
  void OnOwner(uint32_t owner, uint32_t request, uint64_t ordinal) override {
    context_.NoteOwner(owner, request, ordinal);
  }

 protected:
  RowContext context_;
  RowNames names_{};
  const LoopTimeline* timeline_ = nullptr;
  uint64_t written_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace edgewise
