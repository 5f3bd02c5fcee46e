#include "boost/actuator/epp_actuator.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "boost/actuator/file_actuator.h"
#include "boost/actuator/policy_lock.h"
#include "boost/frequency_domain.h"
#include "boost/sysfs.h"

namespace edgewise {
namespace {

constexpr char kHigh[] = "performance";
constexpr char kMid[] = "balance_performance";

absl::StatusOr<LevelFile> PlanPreference(const FrequencyDomain& domain) {
  LevelFile file;
  file.cpus = domain.cpus;
  file.path = domain.path + "/energy_performance_preference";
  absl::StatusOr<std::string> saved = ReadValue(file.path);
  if (!saved.ok()) {
    return absl::Status(
        saved.status().code(),
        absl::StrCat(saved.status().message(),
                     ": the driver knows no energy preference (intel_pstate "
                     "with HWP and amd_pstate in active mode do)"));
  }
  const std::string offered =
      domain.path + "/energy_performance_available_preferences";
  if (!ListsWord(offered, kHigh)) {
    return absl::UnavailableError(
        absl::StrCat(offered, " does not name ", kHigh));
  }
  if (*saved == kHigh) {
    return absl::UnavailableError(
        absl::StrCat(file.path, " is ", kHigh,
                     " already: nothing is left to raise; next "
                     "step: echo balance_power > ",
                     file.path));
  }
  const char* const mid = ListsWord(offered, kMid) ? kMid : kHigh;
  file.values = {*saved, mid, kHigh};
  file.saved = {{file.path, *std::move(saved)}};
  return file;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Actuator>> MakeEppActuator(
    const ActuatorConfig& config) {
  const auto domains = DomainsOfThread(config.root, config.loop_tid);
  if (!domains.ok()) return domains.status();
  const auto frequencies = ChooseFrequencies(*domains, config.frequencies);
  if (!frequencies.ok()) return frequencies.status();
  absl::StatusOr<PolicyLock> lock = PolicyLock::Take(config.root, *domains);
  if (!lock.ok()) return lock.status();
  FilePlan plan;
  plan.name = "epp";
  plan.lock = *std::move(lock);
  plan.frequencies = *frequencies;
  for (const FrequencyDomain& domain : *domains) {
    absl::StatusOr<LevelFile> file = PlanPreference(domain);
    if (!file.ok()) return file.status();
    plan.files.push_back(*std::move(file));
  }
  plan.description = absl::StrCat("epp (energy_performance_preference ",
                                  plan.files.front().values.front(), " to ",
                                  kHigh, ") on ", CpusOf(*domains));
  plan.driver_transition_ns = DriverTransitionNs(*domains);
  plan.shown_khz_path = domains->front().path + "/scaling_cur_freq";
  return FileActuator::Make(std::move(plan), config);
}

}  // namespace edgewise
