#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "boost/daemon/protocol.h"

namespace edgewise {

// Asks the daemon that listens at `socket_path` for its counters. Unavailable:
// there is none. PermissionDenied: not for this user.
absl::StatusOr<BoostdStatus> AskStatus(const std::string& socket_path);

// In Prometheus' text format; as one JSON object on one line.
std::string StatusAsPrometheus(const BoostdStatus& status);
std::string StatusAsJson(const BoostdStatus& status);

}  // namespace edgewise
