#pragma once

#include <array>
#include <cstddef>

#include "analysis/tail/statistics.h"

namespace edgewise {

// The parts of a latency that a page has columns of.
struct PartName {
  const char* name;
  size_t index;  // of Components
};
inline constexpr std::array kPartNames = {
    PartName{"exec_gc", Components::kExecGc},
    PartName{"exec_jit", Components::kExecJit},
    PartName{"exec_ic", Components::kExecIc},
    PartName{"exec_preempted", Components::kExecOff},
    PartName{"exec_throttled", Components::kExecOff + size_t{1}},
    PartName{"exec_fault", Components::kExecOff + size_t{2}},
    PartName{"exec_blocked", Components::kExecOff + size_t{3}},
    PartName{"queue_gc", Components::kQueueGc},
    PartName{"queue_jit", Components::kQueueJit},
    PartName{"queue_ic", Components::kQueueIc},
    PartName{"queue_preempted", Components::kQueueOff},
    PartName{"queue_throttled", Components::kQueueOff + size_t{1}},
    PartName{"queue_fault", Components::kQueueOff + size_t{2}},
    PartName{"queue_blocked", Components::kQueueOff + size_t{3}},
};
static_assert(kOffCpuKinds == 4);

}  // namespace edgewise
