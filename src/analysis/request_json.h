#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "analysis/blame.h"
#include "analysis/dependency.h"
#include "analysis/request_detail.h"
#include "analysis/route_table.h"

namespace edgewise {

// The ratio to six digits; null of nothing.
nlohmann::ordered_json ShareJson(double part, double whole);

// {what, kind, route?, type?}: a cause of waiting.
nlohmann::ordered_json CauseJson(Blocker::Kind kind, uint32_t route,
                                 uint8_t type, const RouteTable& routes);

// One request with its critical path, and its nodes if the detail has them.
nlohmann::ordered_json DetailJson(const RequestDetail& detail,
                                  const RouteTable& routes,
                                  const DependencyTable& dependencies);

}  // namespace edgewise
