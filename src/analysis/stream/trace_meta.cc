#include "analysis/stream/trace_meta.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

namespace edgewise {
namespace {

// Enough for all that a recorder writes; a foreign object is not carried along.
constexpr size_t kMaxMetaBytes = size_t{1} << 20;
constexpr size_t kMaxTextBytes = 1024;
constexpr size_t kMaxFidelityEntries = 256;
constexpr size_t kMaxQuotas = 16;  // of nested groups
constexpr size_t kMaxLimits = 16;

std::string TextOf(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return "";
  return it->get_ref<const std::string&>().substr(0, kMaxTextBytes);
}

std::map<std::string, std::string> FidelityOf(const nlohmann::json& object) {
  std::map<std::string, std::string> fidelity;
  const auto it = object.find("fidelity");
  if (it == object.end() || !it->is_object()) return fidelity;
  for (const auto& [type, value] : it->items()) {
    if (fidelity.size() >= kMaxFidelityEntries) break;
    // Not only strings: a recorder may describe a type by a small object.
    const bool nested = value.is_object() || value.is_array();
    std::string text =
        value.is_string() ? value.get<std::string>()
        : nested          ? "?"
                          : value.dump(-1, ' ', false,
                                       nlohmann::json::error_handler_t::replace);
    fidelity.emplace(type.substr(0, kMaxTextBytes),
                     text.substr(0, kMaxTextBytes));
  }
  return fidelity;
}

void TakeOffCpu(const nlohmann::json& object, TraceMeta* meta) {
  const auto off_cpu = object.find("off_cpu");
  if (off_cpu == object.end() || !off_cpu->is_object()) return;
  const auto available = off_cpu->find("available");
  if (available != off_cpu->end() && available->is_boolean()) {
    meta->off_cpu_available = available->get<bool>();
  }
  meta->off_cpu_by = TextOf(*off_cpu, "by");
  meta->no_off_cpu = TextOf(*off_cpu, "reason");
  const auto limits = off_cpu->find("limits");
  if (limits != off_cpu->end() && limits->is_object()) {
    for (const auto& [name, value] : limits->items()) {
      if (meta->limits.size() >= kMaxLimits) break;
      if (!value.is_number_integer()) continue;
      meta->limits.emplace(name.substr(0, kMaxTextBytes), value.get<int64_t>());
    }
  }
  const auto quotas = off_cpu->find("quotas");
  if (quotas == off_cpu->end() || !quotas->is_array()) return;
  for (const nlohmann::json& quota : *quotas) {
    if (!quota.is_object() || meta->quotas.size() >= kMaxQuotas) continue;
    const auto number = [&](const char* key) -> int64_t {
      const auto value = quota.find(key);
      return value != quota.end() && value->is_number_integer()
                 ? value->get<int64_t>()
                 : 0;
    };
    const TraceMeta::Quota limit{number("quota_us"), number("period_us")};
    if (limit.quota_us > 0 && limit.period_us > 0) {
      meta->quotas.push_back(limit);
    }
  }
}

}  // namespace

std::optional<TraceMeta> ParseTraceMeta(std::string_view json) {
  if (json.size() > kMaxMetaBytes) return std::nullopt;
  const nlohmann::json object =
      nlohmann::json::parse(json, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  TraceMeta meta;
  meta.edgewise = TextOf(object, "edgewise");
  meta.provider = TextOf(object, "provider");
  meta.node = TextOf(object, "node");
  meta.command = TextOf(object, "command");
  meta.host = TextOf(object, "host");
  meta.causality = TextOf(object, "causality");
  meta.mode = TextOf(object, "mode");
  meta.ticks = TextOf(object, "ticks");
  meta.identity = TextOf(object, "identity");
  meta.network = TextOf(object, "network");
  meta.clock = TextOf(object, "clock");
  meta.service = TextOf(object, "service");
  meta.no_async_ids = TextOf(object, "async_ids");
  meta.no_interposition = TextOf(object, "interposition");
  meta.no_native_code = TextOf(object, "native_code");
  meta.fidelity = FidelityOf(object);
  const auto burst = object.find("burst");
  if (burst != object.end() && burst->is_number_unsigned()) {
    meta.burst = burst->get<uint64_t>();
  }
  const auto times = object.find("times");
  meta.times =
      times != object.end() && times->is_boolean() && times->get<bool>();
  TakeOffCpu(object, &meta);
  const auto watcher = object.find("watcher");
  if (watcher != object.end() && watcher->is_object()) {
    const auto available = watcher->find("available");
    if (available != watcher->end() && available->is_boolean()) {
      meta.watcher_available = available->get<bool>();
    }
    const auto error = watcher->find("error_ns");
    if (error != watcher->end() && error->is_number_integer()) {
      meta.watcher_error_ns = error->get<int64_t>();
    }
  }
  return meta;
}

}  // namespace edgewise
