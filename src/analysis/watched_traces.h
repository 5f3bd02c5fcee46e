#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "analysis/progress.h"
#include "analysis/trace_set.h"

namespace edgewise {

// Tells `progress` how far passes over `traces`, file by file, are. Once it is
// cancelled files end where they were read to, so that a pass is soon over.
class WatchedTraces : public TraceSet {
 public:
  // Both outlive it and what it opens.
  WatchedTraces(TraceSet* traces, AnalysisProgress* progress);

  // Another pass begins: the part from `from` to `to` of the work, 0 to 1.
  void BeginPass(double from, double to);

  size_t size() const override { return traces_->size(); }
  const std::string& Name(size_t i) const override { return traces_->Name(i); }
  uint64_t Bytes(size_t i) const override { return traces_->Bytes(i); }
  // What was opened before in this pass counts as read.
  absl::StatusOr<std::unique_ptr<ByteSource>> Open(size_t i) override;

 private:
  TraceSet* traces_;
  AnalysisProgress* progress_;
  uint64_t bytes_ = 0;   // of all files
  uint64_t opened_ = 0;  // bytes of what this pass has opened until now
  double from_ = 0;
  double to_ = 1;
};

}  // namespace edgewise
