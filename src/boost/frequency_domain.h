#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/level.h"

namespace edgewise {

// CPUs that share a frequency: a policy of the kernel's cpufreq.
struct FrequencyDomain {
  std::string path;      // .../cpufreq/policyN
  std::string cpus;      // as the kernel lists them: "0 1"
  std::string governor;  // "schedutil"
  // The hardware's range, its upper end lowered to what the administrator
  // allows (scaling_max_freq).
  uint32_t min_khz = 0;
  uint32_t max_khz = 0;
  // Without boost: base_frequency (intel_pstate), else ACPI CPPC's nominal_freq
  // (AMD, Arm), else the middle of the range.
  uint32_t nominal_khz = 0;
  uint32_t driver_transition_ns = 0;  // the driver's own word; 0: it has none
};

// The domains of the CPUs that a thread may run on (0: the calling one), those
// with an online CPU. Unavailable when there are none: why. `root`: prefix of
// /sys.
absl::StatusOr<std::vector<FrequencyDomain>> DomainsOfThread(
    const std::string& root, pid_t tid);

// The frequencies wanted, and for zeros the hardware's own: low is the nominal
// one, high the highest, mid the middle of both. InvalidArgument, naming value
// and range, when a domain cannot run at them or they are not ascending. Where
// domains differ (big and little cores) the fastest one counts, and slower ones
// do what they can: `domains` is not empty.
absl::StatusOr<Frequencies> ChooseFrequencies(
    const std::vector<FrequencyDomain>& domains, const Frequencies& wanted);

// InvalidArgument when frequencies that are not 0 do not ascend.
absl::Status CheckAscending(const Frequencies& frequencies);

// "CPU 0 1, 2 3", for descriptions.
std::string CpusOf(const std::vector<FrequencyDomain>& domains);

// "2600/3300/4000 MHz", for descriptions.
std::string FrequencyText(const Frequencies& frequencies);

// The longest transition that the drivers name, ns; 0: one names none.
int64_t DriverTransitionNs(const std::vector<FrequencyDomain>& domains);

}  // namespace edgewise
