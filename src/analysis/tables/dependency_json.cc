#include "analysis/tables/dependency_json.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/requests/request_json.h"

namespace edgewise {

using Json = nlohmann::ordered_json;

namespace {

// `pool` of docs/report-json.md.
Json PoolJson(const DependencyLedger::Entry& entry,
              const Dependency& dependency) {
  if (!dependency.pooled) return nullptr;
  const double known_ns = entry.io_ns - entry.pool_unknown_ns;
  Json json;
  json["threads"] = dependency.pool_threads != 0 ? Json(dependency.pool_threads)
                                                 : Json(nullptr);
  json["queue_ns"] = std::llround(entry.pool_queue_ns);
  json["work_ns"] = std::llround(known_ns - entry.pool_queue_ns);
  json["unknown_ns"] = std::llround(entry.pool_unknown_ns);
  return json;
}

}  // namespace

Json DependenciesJson(const DependencyLedger& ledger,
                      const DependencyTable& table, double io_ns) {
  Json list = Json::array();
  for (const DependencyLedger::Entry& entry : ledger.Entries()) {
    const Dependency& dependency = table.At(entry.dependency);
    const uint64_t beside = entry.calls - std::min(entry.calls, entry.in_turn);
    Json json;
    json["what"] = dependency.what();
    json["kind"] = dependency.kind;
    json["peer"] =
        dependency.peer.empty() ? Json(nullptr) : Json(dependency.peer);
    json["io_ns"] = std::llround(entry.io_ns);
    json["share"] = ShareJson(entry.io_ns, io_ns);
    json["calls"] = dependency.asked ? Json(entry.calls) : Json(nullptr);
    json["requests"] = entry.requests;
    json["in_turn"] = entry.in_turn;
    json["most_in_turn"] = entry.most_in_turn;
    json["side_by_side"] = dependency.asked ? Json(beside) : Json(nullptr);
    const bool measured = dependency.measured != 0;
    json["retransmits"] =
        measured ? Json(dependency.retransmits) : Json(nullptr);
    json["rtt_us"] = measured
                         ? Json(dependency.round_trips_us / dependency.measured)
                         : Json(nullptr);
    json["pool"] = PoolJson(entry, dependency);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace edgewise
