#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/tables/report_json.h"

namespace edgewise {

// {busy_ns, span_ns, utilisation} of all threads, and `busiest`, the same of
// the one that was busy longest: idle loops hide it in the sum. There is a
// file.
nlohmann::ordered_json LoopJson(const std::vector<FileFacts>& files);

}  // namespace edgewise
