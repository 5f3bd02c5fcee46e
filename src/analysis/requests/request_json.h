#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "analysis/graph/blame.h"
#include "analysis/graph/dependency.h"
#include "analysis/requests/request_detail.h"
#include "analysis/stream/route_table.h"
#include "analysis/timeline/off_timeline.h"

namespace edgewise {

// The ratio to six digits; null of nothing.
nlohmann::ordered_json ShareJson(double part, double whole);

// {preempted_ns, throttled_ns, fault_ns, blocked_ns}: why the thread did not
// run. `of(kind)`: by number of OffCpuKind.
template <typename Of>
nlohmann::ordered_json OffJson(Of&& of) {
  constexpr std::array kNames = {"preempted_ns", "throttled_ns", "fault_ns",
                                 "blocked_ns"};
  static_assert(kNames.size() == kOffCpuKinds);
  nlohmann::ordered_json json;
  for (size_t kind = 0; kind < kNames.size(); ++kind) {
    json[kNames[kind]] = of(kind);
  }
  return json;
}

// {what, kind, route?, type?}: a cause of waiting.
nlohmann::ordered_json CauseJson(Blocker::Kind kind, uint32_t route,
                                 uint8_t type, const RouteTable& routes);

// One request with its critical path, and its nodes if the detail has them.
nlohmann::ordered_json DetailJson(const RequestDetail& detail,
                                  const RouteTable& routes,
                                  const DependencyTable& dependencies);

}  // namespace edgewise
