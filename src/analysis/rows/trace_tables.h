#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/page/cause_table.h"
#include "analysis/rows/cause_clock.h"
#include "analysis/rows/event_rows.h"
#include "analysis/rows/loop_bins.h"
#include "analysis/rows/request_rows.h"
#include "analysis/rows/request_watcher.h"
#include "analysis/rows/row_context.h"
#include "analysis/rows/table_directory.h"
#include "analysis/tail/statistics.h"

namespace edgewise {

// Writes all that an analysis finds as tables (docs/tables.md), while it reads:
// memory holds a row group of each.
class TraceTables : public RequestWatcher {
 public:
  struct Plan {
    std::string directory;  // exists, and has no tables
    std::vector<std::string> scratch;
    double percentile;     // the tail begins there
    int64_t threshold_ns;  // and that is so long
  };
  // Unavailable: a table cannot be made there.
  static absl::StatusOr<std::unique_ptr<TraceTables>> Create(
      const Plan& plan, const RowNames& names, const LoopTimeline* timeline);

  // What was recorded, as ReportOptions::recording has it.
  std::string Recording() const;

  // RequestWatcher. What could not be closed may lack its end.
  void Begin(const RowNames& /*names*/,
             const LoopTimeline* /*timeline*/) override {}
  void BeginFile(const std::string& name, const EventStream* stream,
                 const RequestRoutes* request_routes) override;
  void AddRequest(const EndedRequest& request, const Components& components,
                  const Standing& standing) override;
  void AddAborted(const AbortedRequest& request, bool counted) override;
  void EndFile(const GraphCounts& counts) override;
  absl::Status Close() override;

  // LoopWatcher
  void OnEvent(const Event& event, uint64_t first_piece) override;
  void OnOwner(uint32_t owner, uint32_t request, uint64_t ordinal) override;
  void OnGc(const InnerRecord& gc, int64_t ran_ns) override;
  void OnSample(size_t sample, int64_t at_ns, double weight_ns,
                uint32_t stack) override;

 private:
  TraceTables(const Plan& plan, const RowNames& names,
              const LoopTimeline* timeline);
  ParquetTable* AddMeta();
  void AddOff(const Event& event);

  const Plan plan_;
  const LoopTimeline* const timeline_;
  TableDirectory tables_;
  RowContext context_;
  CauseTable causes_;
  CauseClock clock_;
  RequestRows requests_;
  EventRows events_;
  LoopBins bins_;
  ParquetTable* const meta_;
  std::vector<std::string> texts_;  // of meta_
  uint64_t counted_ = 0;            // requests of the file
  uint64_t aborted_ = 0;
  absl::Status status_;
  std::string host_;  // of the first file that knows it; the same below
  std::string command_;
  int64_t unix_ns_ = INT64_MAX;  // of the first
  uint64_t key_ = 0;             // of all files together
};

}  // namespace edgewise
