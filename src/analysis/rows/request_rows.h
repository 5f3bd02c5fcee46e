#pragma once

#include <cstdint>
#include <vector>

#include "analysis/builder/edg_builder.h"
#include "analysis/page/cause_table.h"
#include "analysis/rows/cause_clock.h"
#include "analysis/rows/request_watcher.h"
#include "analysis/rows/row_context.h"
#include "analysis/rows/table_directory.h"
#include "analysis/tail/statistics.h"

namespace edgewise {

// The tables that have rows of a request each, or several: `requests`, `steps`,
// `calls` and `blockers`.
class RequestRows {
 public:
  // All outlive it.
  RequestRows(TableDirectory* tables, const RowNames& names,
              CauseTable* causes);

  void Add(const EndedRequest& request, const Components& components,
           const RequestWatcher::Standing& standing, RowContext* context);
  void AddAborted(const AbortedRequest& request, bool counted,
                  RowContext* context);
  void AddBlockers(const EndedRequest& request,
                   const std::vector<CauseClock::Part>& parts,
                   RowContext* context);

 private:
  void AddSteps(const EndedRequest& request, RowContext* context);
  void AddCalls(const EndedRequest& request, RowContext* context);

  ParquetTable* requests_;
  ParquetTable* steps_;
  ParquetTable* calls_;
  ParquetTable* blockers_;
  const CauseTable* const causes_;
  std::vector<uint32_t> told_;  // dependencies whose questions are
};

}  // namespace edgewise
