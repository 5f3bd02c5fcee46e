#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "boost/actuator.h"

namespace edgewise {

// The processor's own choice of frequencies (intel_pstate, amd_pstate), told by
// energy_performance_preference: "performance" at the high level, what was
// before at the low one, "balance_performance" in between. What frequency that
// gives is the processor's affair: frequencies that were asked for only say
// what to reckon with.
absl::StatusOr<std::unique_ptr<Actuator>> MakeEppActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
