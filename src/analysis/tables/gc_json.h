#pragma once

#include <nlohmann/json.hpp>

#include "analysis/builder/edg_builder.h"

namespace edgewise {

// The collections of all threads, report-json.md's `gc`. `off_cpu`: it is known
// for how long the threads did not run.
nlohmann::ordered_json GcJson(const GraphCounts& counts, bool off_cpu);

}  // namespace edgewise
