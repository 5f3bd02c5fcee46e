#include "boost/actuator/cpufreq_actuator.h"

#include <unistd.h>

#include <algorithm>
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

constexpr std::string_view kUserspace = "userspace";

// Frequencies as a domain can run at them, at least `least_khz`.
std::array<std::string, kLevels> ValuesFor(const FrequencyDomain& domain,
                                           const Frequencies& frequencies,
                                           uint32_t least_khz) {
  std::array<std::string, kLevels> values;
  for (size_t i = 0; i < kLevels; ++i) {
    const uint32_t khz =
        std::clamp(frequencies[i], domain.min_khz, domain.max_khz);
    values[i] = absl::StrCat(std::max(khz, least_khz));
  }
  return values;
}

absl::StatusOr<LevelFile> PlanUserspace(const FrequencyDomain& domain,
                                        const Frequencies& frequencies) {
  const std::string governor_path = domain.path + "/scaling_governor";
  // Not what it was before the domains were locked.
  absl::StatusOr<std::string> governor = ReadValue(governor_path);
  if (!governor.ok()) return governor.status();
  LevelFile file;
  file.cpus = domain.cpus;
  file.path = domain.path + "/scaling_setspeed";
  file.values = ValuesFor(domain, frequencies, 0);
  file.ours = {governor_path, std::string(kUserspace)};
  if (*governor == kUserspace) {
    absl::StatusOr<std::string> speed = ReadValue(file.path);
    if (!speed.ok()) return speed.status();
    file.saved = {{file.path, *std::move(speed)}};
  } else {
    file.prepare = {file.ours};
    file.saved = {{governor_path, *std::move(governor)}};
  }
  return file;
}

absl::StatusOr<LevelFile> PlanMinimum(const FrequencyDomain& domain,
                                      const Frequencies& frequencies) {
  LevelFile file;
  file.cpus = domain.cpus;
  file.path = domain.path + "/scaling_min_freq";
  const absl::StatusOr<uint64_t> min_khz = ReadNumber(file.path);
  if (!min_khz.ok()) return min_khz.status();
  file.saved = {{file.path, absl::StrCat(*min_khz)}};
  file.values = ValuesFor(domain, frequencies, static_cast<uint32_t>(*min_khz));
  file.values.front() = file.saved.front().value;
  return file;
}

bool OffersUserspace(const FrequencyDomain& domain) {
  return ListsWord(domain.path + "/scaling_available_governors", kUserspace) &&
         access((domain.path + "/scaling_setspeed").c_str(), F_OK) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Actuator>> MakeCpufreqActuator(
    const ActuatorConfig& config) {
  const auto domains = DomainsOfThread(config.root, config.loop_tid);
  if (!domains.ok()) return domains.status();
  const auto frequencies = ChooseFrequencies(*domains, config.frequencies);
  if (!frequencies.ok()) return frequencies.status();
  absl::StatusOr<PolicyLock> lock = PolicyLock::Take(config.root, *domains);
  if (!lock.ok()) return lock.status();
  // One way for all: levels of different meaning could not be told apart.
  const bool userspace =
      std::all_of(domains->begin(), domains->end(), OffersUserspace);
  FilePlan plan;
  plan.name = "cpufreq";
  plan.lock = *std::move(lock);
  plan.frequencies = *frequencies;
  for (const FrequencyDomain& domain : *domains) {
    absl::StatusOr<LevelFile> file = userspace
                                         ? PlanUserspace(domain, *frequencies)
                                         : PlanMinimum(domain, *frequencies);
    if (!file.ok()) return file.status();
    plan.files.push_back(*std::move(file));
  }
  plan.description = absl::StrCat(
      "cpufreq (",
      userspace ? "governor userspace"
                : absl::StrCat("scaling_min_freq under the governor ",
                               domains->front().governor),
      ") on ", CpusOf(*domains), ", ", FrequencyText(*frequencies));
  plan.driver_transition_ns = DriverTransitionNs(*domains);
  plan.shown_khz_path = domains->front().path + "/scaling_cur_freq";
  return FileActuator::Make(std::move(plan), config);
}

}  // namespace edgewise
