#include "boost/energy.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "boost/sysfs.h"

namespace edgewise {
namespace {

// The part of the power that does not depend on the frequency.
constexpr double kConstantPower = 0.352;

}  // namespace

double ModelledEnergy(const Residency& residency,
                      const Frequencies& frequencies) {
  double total_ns = 0;
  double energy = 0;
  for (size_t i = 0; i < kLevels; ++i) {
    if (frequencies[i] == 0) return 1;
    const double ratio =
        static_cast<double>(frequencies[i]) / frequencies.front();
    const auto time_ns = static_cast<double>(residency[i]);
    const double power =
        kConstantPower + (1 - kConstantPower) * ratio * ratio * ratio;
    total_ns += time_ns;
    energy += time_ns * power;
  }
  return total_ns > 0 ? energy / total_ns : 1;
}

EnergyCounters::EnergyCounters(const std::string& root) {
  const std::string directory = root + "/sys/class/powercap";
  for (const std::string& zone : EntriesOf(directory, "intel-rapl:")) {
    const std::string path = absl::StrCat(directory, "/", zone);
    // Cores, memory and the whole platform have zones of their own: what they
    // count is in a package's, or is more than the processor's.
    const auto name = ReadValue(path + "/name");
    if (!name.ok() || !absl::StartsWith(*name, "package-")) continue;
    const std::string energy_path = path + "/energy_uj";
    const auto range_uj = ReadNumber(path + "/max_energy_range_uj");
    const auto now_uj = ReadNumber(energy_path);
    for (const absl::Status& status : {range_uj.status(), now_uj.status()}) {
      if (status.ok()) continue;
      unavailable_ = std::string(status.message());
      if (absl::IsPermissionDenied(status)) {
        unavailable_ += " (only root may read it since Linux 5.10)";
      }
      packages_.clear();
      return;
    }
    packages_.push_back({energy_path, *range_uj, *now_uj});
  }
  if (!packages_.empty()) return;
  unavailable_ = absl::StrCat(directory, " has no package counter (RAPL); ",
                              "usual in virtual machines");
}

std::optional<uint64_t> EnergyCounters::ReadUj() {
  if (packages_.empty()) return std::nullopt;
  bool all_read = true;
  for (Package& package : packages_) {
    const absl::StatusOr<uint64_t> now_uj = ReadNumber(package.path);
    if (!now_uj.ok()) {
      all_read = false;
      continue;
    }
    total_uj_ += *now_uj >= package.last_uj
                     ? *now_uj - package.last_uj
                     : package.range_uj - package.last_uj + *now_uj;
    package.last_uj = *now_uj;
  }
  if (!all_read) return std::nullopt;
  return total_uj_;
}

}  // namespace edgewise
