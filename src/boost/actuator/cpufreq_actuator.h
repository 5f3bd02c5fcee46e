#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "boost/actuator.h"

namespace edgewise {

// The kernel's cpufreq, for all domains that the loop's thread may run on: the
// governor userspace and its scaling_setspeed where there is one, and else
// scaling_min_freq, which the low level leaves at what it was.
absl::StatusOr<std::unique_ptr<Actuator>> MakeCpufreqActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
