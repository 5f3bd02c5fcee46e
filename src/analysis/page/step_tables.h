#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/page/container/rows.h"
#include "analysis/requests/request_detail.h"

namespace edgewise {

// The tables `steps` and `step_blocks` of a page: critical paths.
class StepTables {
 public:
  explicit StepTables(int64_t origin_ns) : origin_ns_(origin_ns) {}

  // Steps of a request follow each other, source first; `blocks` calls of
  // AddBlock() follow each.
  void AddStep(uint32_t request, const DetailStep& step, size_t blocks) {
    const bool waits = step.io_ns > 0;
    steps_.Add({request, static_cast<uint64_t>(step.type),
                static_cast<uint64_t>(step.ready_kind),
                waits ? step.dependency + uint64_t{1} : 0,
                static_cast<uint64_t>(step.inferred) |
                    static_cast<uint64_t>(step.slice) << 1,
                Whole(step.begin_ns - origin_ns_), Whole(step.io_ns),
                Whole(step.queue_ns), Whole(step.exec_ns), Whole(step.gc_ns),
                blocks});
  }
  void AddBlock(uint32_t cause, int64_t ns) { blocks_.Add({cause, Whole(ns)}); }

  void AddTo(PageContainer* page) const {
    steps_.AddTo(page, "steps");
    blocks_.AddTo(page, "step_blocks");
  }

 private:
  const int64_t origin_ns_;
  Rows<11> steps_{{"request", "type", "ready_kind", "dependency", "flags",
                   "begin", "io", "queue", "exec", "gc", "blocks"}};
  Rows<2> blocks_{{"blocker", "ns"}};
};

}  // namespace edgewise
