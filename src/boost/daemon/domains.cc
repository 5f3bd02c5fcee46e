#include "boost/daemon/domains.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "boost/daemon/client_thread.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr std::string_view kPolicy = "policy";

// Confines the calling thread to some CPUs as long as it lives.
class Confined {
 public:
  explicit Confined(const std::vector<int>& cpus)
      : before_(AffinityOf(ThreadId())) {
    Confine(cpus);
  }
  ~Confined() { Confine(before_); }
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;

  bool ok() const { return ok_; }

 private:
  void Confine(const std::vector<int>& cpus) {
    const int count = cpus.empty() ? 1 : cpus.back() + 1;
    cpu_set_t* const set = CPU_ALLOC(count);
    const size_t bytes = CPU_ALLOC_SIZE(count);
    CPU_ZERO_S(bytes, set);
    for (const int cpu : cpus) CPU_SET_S(cpu, bytes, set);
    ok_ = sched_setaffinity(ThreadId(), bytes, set) == 0;
    CPU_FREE(set);
  }

  const std::vector<int> before_;
  bool ok_ = false;
};

}  // namespace

std::vector<std::vector<int>> CpufreqPolicies(const std::string& root) {
  namespace fs = std::filesystem;
  std::map<int, std::vector<int>> policies;
  std::error_code error;
  const fs::path directory(root + "/sys/devices/system/cpu/cpufreq");
  for (fs::directory_iterator each(directory, error), end;
       !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename();
    int number = 0;
    if (!name.starts_with(kPolicy) ||
        !absl::SimpleAtoi(name.substr(kPolicy.size()), &number)) {
      continue;
    }
    std::ifstream file(each->path() / "affected_cpus");
    std::vector<int> cpus;
    for (int cpu = 0; file >> cpu;) cpus.push_back(cpu);
    // None: all of them are offline.
    if (!cpus.empty()) policies.emplace(number, std::move(cpus));
  }
  std::vector<std::vector<int>> in_order;
  for (auto& [number, cpus] : policies) in_order.push_back(std::move(cpus));
  return in_order;
}

absl::StatusOr<std::vector<BoostDomain>> MakeDomains(
    ActuatorConfig config,
    const std::function<absl::StatusOr<std::unique_ptr<Actuator>>(
        const ActuatorConfig&)>& make) {
  config.loop_tid = ThreadId();
  std::vector<BoostDomain> domains;
  const std::vector<std::vector<int>> policies = CpufreqPolicies(config.root);
  if (policies.size() <= 1) {
    auto actuator = make(config);
    if (!actuator.ok()) return actuator.status();
    domains.push_back({.cpus = {}, .actuator = *std::move(actuator)});
    return domains;
  }
  for (const std::vector<int>& cpus : policies) {
    const Confined confined(cpus);
    if (!confined.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat("boostd may not run on CPU ", cpus.front(),
                       ", whose frequency it should change"));
    }
    auto actuator = make(config);
    if (!actuator.ok()) return actuator.status();
    domains.push_back({.cpus = cpus, .actuator = *std::move(actuator)});
  }
  return domains;
}

}  // namespace edgewise
