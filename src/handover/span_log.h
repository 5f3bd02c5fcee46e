#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/requests/output_file.h"
#include "handover/handover.h"

namespace edgewise {

// Writes a line of JSON for each request that is chosen, with the steps of its
// critical path and the requests that it waited behind: what spans are made of
// (lib/export/otlp). In order of their ends, file by file.
class SpanLog : public Handover {
 public:
  struct Plan {
    std::string path;       // of the file
    double sample = 0;      // this share of the requests beside the tail
    uint64_t most = 0;      // so many at most; 0: as many as there are
    size_t blockers = 128;  // that are told of each, those of the longest waits
  };
  // Unavailable: the file cannot be made.
  static absl::StatusOr<std::unique_ptr<SpanLog>> Create(const Plan& plan);

  // RequestWatcher
  void AddRequest(const EndedRequest& request, const Components& components,
                  const Standing& standing) override;
  absl::Status Close() override { return file_->Close(); }

 private:
  SpanLog(const Plan& plan, std::unique_ptr<OutputFile> file)
      : plan_(plan), file_(std::move(file)) {}
  bool IsChosen(const EndedRequest& request, const Standing& standing);

  const Plan plan_;
  const std::unique_ptr<OutputFile> file_;
};

}  // namespace edgewise
