#include "boost/frequency_domain.h"

#include <errno.h>
#include <sched.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "boost/sysfs.h"

namespace edgewise {
namespace {

// The most CPUs that Linux can be built for on any architecture, and more.
constexpr size_t kMaxCpus = 16'384;
// What drivers say that do not know their transition latency.
constexpr uint64_t kEternalNs = UINT32_MAX;

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeCpuSet>;

absl::StatusOr<CpuSet> AllowedProcessors(pid_t tid) {
  CpuSet set(CPU_ALLOC(kMaxCpus));
  const size_t size = CPU_ALLOC_SIZE(kMaxCpus);
  CPU_ZERO_S(size, set.get());
  if (sched_getaffinity(tid, size, set.get()) != 0) {
    return ErrnoStatus(errno, absl::StrCat("CPU affinity of thread ", tid));
  }
  return set;
}

std::vector<size_t> CpuNumbers(const std::string& list) {
  std::vector<size_t> numbers;
  for (const absl::string_view word :
       absl::StrSplit(list, ' ', absl::SkipEmpty())) {
    size_t number = 0;
    if (absl::SimpleAtoi(word, &number) && number < kMaxCpus) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

uint32_t NominalKhz(const std::string& cpus_directory, size_t cpu,
                    const FrequencyDomain& domain) {
  const auto base_khz = ReadNumber(domain.path + "/base_frequency");
  const auto cppc_mhz = ReadNumber(
      absl::StrCat(cpus_directory, "/cpu", cpu, "/acpi_cppc/nominal_freq"));
  uint64_t khz = (uint64_t{domain.min_khz} + domain.max_khz) / 2;
  if (base_khz.ok() && *base_khz > 0) {
    khz = *base_khz;
  } else if (cppc_mhz.ok() && *cppc_mhz > 0) {
    khz = *cppc_mhz * 1000;
  }
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(khz, domain.min_khz, domain.max_khz));
}

absl::StatusOr<FrequencyDomain> ReadDomain(const std::string& cpus_directory,
                                           size_t first_cpu,
                                           FrequencyDomain domain) {
  const auto governor = ReadValue(domain.path + "/scaling_governor");
  const auto min_khz = ReadNumber(domain.path + "/cpuinfo_min_freq");
  const auto max_khz = ReadNumber(domain.path + "/cpuinfo_max_freq");
  for (const absl::Status& status :
       {governor.status(), min_khz.status(), max_khz.status()}) {
    if (!status.ok()) return status;
  }
  const auto allowed_khz = ReadNumber(domain.path + "/scaling_max_freq");
  domain.governor = *governor;
  domain.min_khz = static_cast<uint32_t>(*min_khz);
  domain.max_khz =
      static_cast<uint32_t>(std::min(*max_khz, allowed_khz.value_or(*max_khz)));
  if (domain.min_khz == 0 || domain.max_khz < domain.min_khz) {
    return absl::UnavailableError(
        absl::StrCat(domain.path, ": no frequencies between ", domain.min_khz,
                     " and ", domain.max_khz, " kHz"));
  }
  domain.nominal_khz = NominalKhz(cpus_directory, first_cpu, domain);
  const uint64_t latency_ns =
      ReadNumber(domain.path + "/cpuinfo_transition_latency").value_or(0);
  if (latency_ns < kEternalNs) {
    domain.driver_transition_ns = static_cast<uint32_t>(latency_ns);
  }
  return domain;
}

absl::Status CheckRange(const Frequencies& wanted, uint32_t min_khz,
                        uint32_t max_khz) {
  for (size_t i = 0; i < kLevels; ++i) {
    if (wanted[i] == 0 || (wanted[i] >= min_khz && wanted[i] <= max_khz)) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "frequency ", std::string(kLevelNames[i]), " = ", wanted[i],
        " kHz: this processor allows ", min_khz, " to ", max_khz, " kHz"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<FrequencyDomain>> DomainsOfThread(
    const std::string& root, pid_t tid) {
  const absl::StatusOr<CpuSet> allowed = AllowedProcessors(tid);
  if (!allowed.ok()) return allowed.status();
  const std::string cpus_directory = root + "/sys/devices/system/cpu";
  const std::string directory = cpus_directory + "/cpufreq";
  std::vector<FrequencyDomain> domains;
  for (const std::string& policy : EntriesOf(directory, "policy")) {
    FrequencyDomain domain;
    domain.path = absl::StrCat(directory, "/", policy);
    // Names the online CPUs; when there are none, it cannot be read or is
    // empty.
    domain.cpus = ReadValue(domain.path + "/affected_cpus").value_or("");
    const std::vector<size_t> cpus = CpuNumbers(domain.cpus);
    const bool ours = std::any_of(cpus.begin(), cpus.end(), [&](size_t cpu) {
      return CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(kMaxCpus), allowed->get());
    });
    if (!ours) continue;
    auto read = ReadDomain(cpus_directory, cpus[0], std::move(domain));
    if (!read.ok()) return read.status();
    domains.push_back(*std::move(read));
  }
  if (!domains.empty()) return domains;
  return absl::UnavailableError(absl::StrCat(
      directory, " has no policy for the CPUs of this thread: no cpufreq ",
      "driver (usual in virtual machines)"));
}

absl::Status CheckAscending(const Frequencies& frequencies) {
  size_t below = kLevels;  // none yet
  for (size_t i = 0; i < kLevels; ++i) {
    if (frequencies[i] == 0) continue;
    if (below < kLevels && frequencies[i] < frequencies[below]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "frequency ", std::string(kLevelNames[i]), " = ", frequencies[i],
          " kHz is below ", std::string(kLevelNames[below]), " = ",
          frequencies[below], " kHz: allowed is low <= mid <= high"));
    }
    below = i;
  }
  return absl::OkStatus();
}

absl::StatusOr<Frequencies> ChooseFrequencies(
    const std::vector<FrequencyDomain>& domains, const Frequencies& wanted) {
  const FrequencyDomain& fastest =
      *std::max_element(domains.begin(), domains.end(),
                        [](const FrequencyDomain& a, const FrequencyDomain& b) {
                          return a.max_khz < b.max_khz;
                        });
  const absl::Status in_range =
      CheckRange(wanted, fastest.min_khz, fastest.max_khz);
  if (!in_range.ok()) return in_range;
  Frequencies chosen = wanted;
  auto& [low_khz, mid_khz, high_khz] = chosen;
  if (low_khz == 0) low_khz = fastest.nominal_khz;
  if (high_khz == 0) high_khz = fastest.max_khz;
  const absl::Status ascending = CheckAscending(chosen);
  if (!ascending.ok()) return ascending;
  if (mid_khz == 0) mid_khz = std::midpoint(low_khz, high_khz);
  return chosen;
}

std::string CpusOf(const std::vector<FrequencyDomain>& domains) {
  return absl::StrCat(
      "CPU ", absl::StrJoin(domains, ", ",
                            [](std::string* out, const FrequencyDomain& each) {
                              out->append(each.cpus);
                            }));
}

std::string FrequencyText(const Frequencies& frequencies) {
  return absl::StrCat(absl::StrJoin(frequencies, "/",
                                    [](std::string* out, uint32_t khz) {
                                      absl::StrAppend(out, khz / 1000);
                                    }),
                      " MHz");
}

int64_t DriverTransitionNs(const std::vector<FrequencyDomain>& domains) {
  int64_t longest_ns = 0;
  for (const FrequencyDomain& domain : domains) {
    if (domain.driver_transition_ns == 0) return 0;
    longest_ns = std::max<int64_t>(longest_ns, domain.driver_transition_ns);
  }
  return longest_ns;
}

}  // namespace edgewise
