#pragma once

#include <bit>
#include <cstdint>

#include "test/native/analysis/trace_builder.h"
#include "trace/record.h"

namespace edgewise {

// What a collection at `time` of a TraceBuilder's has found and left, bytes.
inline Record HeapRecord(const TraceBuilder& trace, int64_t time,
                         uint32_t young_before, uint32_t young_after,
                         uint64_t old_before, uint64_t old_after,
                         uint32_t semi_space) {
  Record record{};
  record.kind = RecordKind::kHeap;
  record.ticks = trace.Ticks(time);
  record.duration = std::bit_cast<float>(young_before);
  record.ready_before = std::bit_cast<float>(young_after);
  SetIds(record, old_before, old_after);
  record.aux = semi_space / 1024;
  return record;
}

}  // namespace edgewise
