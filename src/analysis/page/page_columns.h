#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/builder/edg_builder.h"
#include "analysis/graph/dependency.h"
#include "analysis/page/blocks.h"
#include "analysis/page/cause_table.h"
#include "analysis/page/container/column.h"
#include "analysis/page/container/container.h"
#include "analysis/page/loop/loop_windows.h"
#include "analysis/page/loop/time_bins.h"
#include "analysis/page/loop/waiting_line.h"
#include "analysis/page/request_columns.h"
#include "analysis/page/row_sums.h"
#include "analysis/page/store/trace_store.h"
#include "analysis/requests/request_detail.h"
#include "analysis/stream/route_table.h"
#include "analysis/tail/statistics.h"

namespace edgewise {

// What a page needs to know of each request, in columns (docs/page-data.md).
// Of many requests the fast ones share rows.
class PageColumns : public PieceSink, private RequestColumns {
 public:
  static constexpr uint64_t kMostRows = 500'000;
  // The slowest of more than kMostRows that have a row each.
  static constexpr uint64_t kOwnRows = 100'000;
  static constexpr size_t kMostShared = 200'000;
  // The latencies of a shared row: at most a fifth apart.
  static constexpr int kPartsOfOctave = 4;
  // Whose loop is told piece by piece: the slowest, and others.
  static constexpr size_t kMostSlow = 40;
  static constexpr uint64_t kSamples = 20;

  // What is known before the first is added.
  struct Plan {
    int64_t begin_ns = 0;  // of the recording, CLOCK_MONOTONIC
    int64_t span_ns = 0;
    uint64_t requests = 0;
    int64_t own_from_ns = 0;      // who takes as long has a row of its own
    uint64_t kinds = 1;           // about so many threads times routes
    TraceStore* store = nullptr;  // is told of everything; may be null
    // For what memory has no room for; none: it must have.
    std::vector<std::string> scratch;
  };
  explicit PageColumns(const Plan& plan);

  struct Thread {
    uint32_t process;
    uint32_t thread;
    std::string identity;  // empty where the process's number is its own
  };
  // Returns the number of its row, in order of calls.
  struct Rank {
    bool tail;  // of the report
    bool slow;  // one of the slowest: the loop is told around it
  };
  uint32_t Add(const EndedRequest& request, const Components& components,
               const Rank& rank, const LoopTimeline& timeline,
               BlameLedger* ledger);
  // What was added since the last call is of this thread.
  void EndFile(Thread thread, BlameLedger* ledger);
  void OnPiece(const Piece& piece, VmTimes vm, BlameLedger* ledger) override;
  void OnIdleOff(const OffSpan& span) override { bins_.OnIdleOff(span); }

  struct Names {
    const RouteTable* routes;
    const DependencyTable* dependencies;
    bool off_cpu = false;   // whether it is known when threads did not run
    bool vm_times = false;  // whether JIT and inline caches are known
  };
  // The container's bytes. `details`: those whose row is known. Unavailable:
  // the disk has no room for what memory has none for.
  absl::StatusOr<std::string> Encode(
      const Names& names,
      std::span<const std::optional<RequestDetail>> details);

 private:
  std::optional<uint32_t> SharedRow(const Values& values);
  struct Most;
  Most MostOf(uint32_t row) const;
  uint32_t RowOf(const Values& values);
  std::vector<uint32_t> RowsByStart() const;
  template <typename Number>
  Column AddCauses(const char* table, const char* what,
                   std::span<const RowSums::Entry> entries,
                   std::span<const uint32_t> order, uint64_t others,
                   Number&& number, PageContainer* page) const;
  void AddRequests(std::span<const uint32_t> order, int64_t begin_ns,
                   const Names& names, PageContainer* page);
  void AddLoops(int64_t begin_ns, PageContainer* page) const;
  void AddNames(const Names& names, PageContainer* page) const;

  const Plan plan_;
  std::vector<Column> columns_;  // in order of calls
  std::vector<Thread> threads_;
  CauseTable causes_;
  Blocks blocks_{&causes_};
  RowSums waits_;  // by dependency
  TimeBins bins_;
  LoopWindows windows_{&causes_};
  absl::flat_hash_map<uint64_t, uint32_t> shared_;
  int64_t shared_span_ns_;  // of time, of a shared row
  uint64_t added_ = 0;
  WaitingLine line_;  // of this file
  absl::Status status_;
};

}  // namespace edgewise
