#include "analysis/off_cpu_json.h"

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
  for (const FileFacts& file : files) {
    if (!file.meta.off_cpu_available.has_value()) continue;
    lost += file.counts.lost_switches;
    const bool available = *file.meta.off_cpu_available;
    if (json["available"].is_null() || !available)
      json["available"] = available;
    if (!file.meta.no_off_cpu.empty()) json["reason"] = file.meta.no_off_cpu;
    const bool more =
        most == nullptr || file.counts.quota.ns > most->counts.quota.ns;
    if (!file.meta.quotas.empty() && more) most = &file;
  }
  if (lost > 0) json["lost_switches"] = lost;
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
