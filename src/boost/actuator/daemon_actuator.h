#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "boost/actuator.h"

namespace edgewise {

// Asks edgewise-boostd, which listens at config.daemon_socket (empty:
// kDefaultBoostdSocket): for servers without privilege. config.loop_tid must
// be a thread of this process; config.frequencies are checked, but those that
// hold are the daemon's.
//
// Set() is an atomic exchange, and where the daemon sleeps two system calls to
// wake it; it never blocks. When the daemon has ended it fails once with
// Unavailable, and is without effect from then on: the daemon has restored the
// frequency, and nothing asks for another.
//
// Unavailable: no daemon, or it is full. PermissionDenied: not for this user.
// InvalidArgument: the frequencies. FailedPrecondition: of another version.
absl::StatusOr<std::unique_ptr<Actuator>> MakeDaemonActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
