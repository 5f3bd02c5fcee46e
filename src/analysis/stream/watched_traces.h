#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "analysis/stream/progress.h"
#include "analysis/stream/trace_set.h"

namespace edgewise {

// Tells `progress` how far passes over `traces`, file by file, are. Once it is
// cancelled files end where they were read to, so that a pass is soon over.
class WatchedTraces {
 public:
  // Both outlive it and what it opens.
  WatchedTraces(TraceSet* traces, AnalysisProgress* progress);

  // Another pass begins: the part from `from` to `to` of the work, 0 to 1.
  void BeginPass(double from, double to);

  size_t size() const { return traces_->size(); }
  const std::string& Name(size_t i) const { return traces_->Name(i); }
  bool StillWritten(size_t i) const { return traces_->StillWritten(i); }
  uint64_t Unrecorded() const { return traces_->Unrecorded(); }
  // What was opened before in this pass counts as read.
  absl::StatusOr<std::unique_ptr<ByteSource>> Open(size_t i);

 private:
  TraceSet* traces_;
  AnalysisProgress* progress_;
  uint64_t bytes_ = 0;   // of all files
  double per_byte_ = 0;  // the work that each is in this pass
  double opened_ = 0;    // the work until the file that is opened next
};

}  // namespace edgewise
