#include "analysis/tables/gc_json.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

Json CountJson(uint64_t count, double total_ns) {
  return {{"count", count}, {"total_ns", std::llround(total_ns)}};
}

// Null where no collection tells its reason, as on a stock Node.
Json GcReasonsJson(const GraphCounts& counts) {
  Json reasons;
  for (uint32_t reason = 1; reason < kGcReasons; ++reason) {
    if (counts.gc_reason_count[reason] == 0) continue;
    reasons[GcReasonName(reason)] =
        CountJson(counts.gc_reason_count[reason], counts.gc_reason_ns[reason]);
  }
  return reasons;
}

}  // namespace

Json GcJson(const GraphCounts& counts, bool off_cpu) {
  Json json;
  uint64_t count = 0;
  double total_ns = 0;
  Json types = Json::object();
  for (int type = 0; type < kGcTypes; ++type) {
    if (counts.gc_count[type] == 0) continue;
    count += counts.gc_count[type];
    total_ns += counts.gc_ns[type];
    types[GcTypeName(static_cast<GcType>(type))] =
        CountJson(counts.gc_count[type], counts.gc_ns[type]);
  }
  json["count"] = count;
  json["total_ns"] = std::llround(total_ns);
  json["not_running_ns"] =
      off_cpu ? Json(std::llround(counts.gc_off_ns)) : Json(nullptr);
  json["by_type"] = std::move(types);
  json["by_reason"] = GcReasonsJson(counts);
  return json;
}

}  // namespace edgewise
