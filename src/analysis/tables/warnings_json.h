#pragma once

#include <nlohmann/json.hpp>

#include "analysis/tables/report_json.h"

namespace edgewise {

// Sentences: what this trace cannot tell, or the analysis has left out of it.
nlohmann::ordered_json WarningsJson(const ReportInput& input);

}  // namespace edgewise
