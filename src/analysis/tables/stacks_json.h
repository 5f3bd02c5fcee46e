#pragma once

#include <nlohmann/json.hpp>

#include "analysis/tables/explain_pass.h"

namespace edgewise {

// What JavaScript ran in the waits and the execution of requests, by cause:
// report-json.md's `stacks`, without what lib/sources adds. Null: none was
// sampled. `whole`: with every stack,
// and the tree of their frames. `with_request`: with the times of the request
// asked for.
nlohmann::ordered_json StacksJson(const ExplainPass& explained,
                                  const RouteTable& routes, bool whole,
                                  bool with_request);

}  // namespace edgewise
