#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/stream/route_table.h"
#include "whatif/model/model.h"

namespace edgewise {

// Requests of the route ("": of each) are `scale` times as large: they are
// executed as much longer as execution has grown with the recorded sizes.
// NotFound: no request of it. FailedPrecondition: too few sizes are known, or
// execution does not grow with them.
absl::Status ScaleInput(const std::string& route, double scale,
                        const RouteTable& routes, LoopModel* model,
                        std::vector<std::string>* assumed);

}  // namespace edgewise
