#include "analysis/tables/off_cpu_json.h"

#include <algorithm>

namespace edgewise {

bool HaveOffCpu(const std::vector<FileFacts>& files) {
  return std::all_of(files.begin(), files.end(), [](const FileFacts& file) {
    return file.meta.off_cpu_available.value_or(false);
  });
}

nlohmann::ordered_json OffCpuJson(const std::vector<FileFacts>& files) {
  nlohmann::ordered_json json = {{"available", nullptr}};
  const FileFacts* most = nullptr;
  uint64_t lost = 0;
  StreamCounts::Faults faults;
  for (const FileFacts& file : files) {
    if (!file.meta.off_cpu_available.has_value()) continue;
    lost += file.counts.lost_switches;
    faults.minor += file.counts.faults.minor;
    faults.major += file.counts.faults.major;
    const bool available = *file.meta.off_cpu_available;
    if (json["available"].is_null() || !available)
      json["available"] = available;
    // The least that is known of any.
    const std::string& by = file.meta.off_cpu_by;
    if (!by.empty() && json.value("by", "") != "sums") json["by"] = by;
    if (!file.meta.no_off_cpu.empty()) json["reason"] = file.meta.no_off_cpu;
    if (!file.meta.limits.empty()) json["limits"] = file.meta.limits;
    const bool more =
        most == nullptr || file.counts.quota.ns > most->counts.quota.ns;
    if (!file.meta.quotas.empty() && more) most = &file;
  }
  if (lost > 0) json["lost_switches"] = lost;
  if (json["available"] == true)
    json["page_faults"] = {{"minor", faults.minor}, {"major", faults.major}};
  if (most == nullptr) return json;
  const auto tightest = std::min_element(
      most->meta.quotas.begin(), most->meta.quotas.end(),
      [](const auto& a, const auto& b) {
        return a.quota_us * b.period_us < b.quota_us * a.period_us;
      });
  const StreamCounts::Throttled& throttled = most->counts.quota;
  json["quota"] = {{"quota_us", tightest->quota_us},
                   {"period_us", tightest->period_us},
                   {"periods", throttled.periods},
                   {"throttled_periods", throttled.throttled},
                   {"throttled_ns", throttled.ns}};
  return json;
}

}  // namespace edgewise
