#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "boost/actuator.h"

namespace edgewise {

// The scheduler's least utilization of the loop's thread
// (SCHED_FLAG_UTIL_CLAMP_MIN, Linux 5.3 with CONFIG_UCLAMP_TASK): 1024, the
// whole capacity, at the high level, its share of it in between, what was
// before at the low one. Needs no rights for threads of one's own; only the
// governor schedutil honours it.
absl::StatusOr<std::unique_ptr<Actuator>> MakeUclampActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
