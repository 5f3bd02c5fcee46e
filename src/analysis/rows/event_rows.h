#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/builder/edg_builder.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/rows/row_context.h"
#include "analysis/rows/table_directory.h"

namespace edgewise {

// The tables of what a thread ran: `events`, `gcs`, and where stacks were
// recorded `stacks`.
class EventRows {
 public:
  EventRows(TableDirectory* tables, const RowNames& names);

  void AddEvent(const Event& event, uint64_t first_piece,
                const LoopTimeline& timeline, RowContext* context);
  void AddGc(const InnerRecord& gc, int64_t ran_ns, RowContext* context);
  // Of the event that comes next.
  void AddSample(size_t sample, int64_t at_ns, double weight_ns,
                 uint32_t stack) {
    samples_.push_back({sample, at_ns, weight_ns, stack});
  }

 private:
  // A stretch of an event that runs for one request, or for none.
  struct Slice {
    int64_t begin_ns;
    int64_t end_ns;
    std::optional<uint32_t> owner;  // not yet known: only collected so far
    uint8_t type;
    int64_t gc_ns;
    int64_t off_ns;
  };
  struct Sample {
    size_t sample;
    int64_t at_ns;
    double weight_ns;
    uint32_t stack;
  };

  void FindSlices(const Event& event, uint64_t first_piece,
                  const LoopTimeline& timeline);
  void AddSlice(const Event& event, const Slice& slice, bool first,
                RowContext* context);
  void AddSamples(const Event& event, const LoopTimeline& timeline,
                  RowContext* context);

  ParquetTable* const events_;
  ParquetTable* const gcs_;
  ParquetTable* const stacks_;
  std::vector<Slice> slices_;    // of the event
  std::vector<Sample> samples_;  // of the event that comes next
};

}  // namespace edgewise
