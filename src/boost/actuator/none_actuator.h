#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "boost/actuator.h"

namespace edgewise {

// Does nothing and costs nothing: what a policy decides can be counted.
absl::StatusOr<std::unique_ptr<Actuator>> MakeNoneActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
