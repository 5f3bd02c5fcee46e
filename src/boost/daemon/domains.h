#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/actuator.h"
#include "boost/daemon/arbiter.h"

namespace edgewise {

// The CPUs of each cpufreq policy, whose frequency is one, by the policy's
// number; empty where there is no cpufreq. `root`: prefix of /sys, for tests.
std::vector<std::vector<int>> CpufreqPolicies(const std::string& root);

// Makes an actuator of `config` for each cpufreq policy: `make` runs while the
// calling thread, which becomes config.loop_tid, is confined to the policy's
// CPUs. Where there is one policy or none, one actuator for the machine.
absl::StatusOr<std::vector<BoostDomain>> MakeDomains(
    ActuatorConfig config,
    const std::function<absl::StatusOr<std::unique_ptr<Actuator>>(
        const ActuatorConfig&)>& make);

}  // namespace edgewise
