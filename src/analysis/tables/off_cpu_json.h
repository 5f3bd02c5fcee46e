#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/tables/report_json.h"

namespace edgewise {

// Whether all files hold when their threads did not run.
bool HaveOffCpu(const std::vector<FileFacts>& files);

// What is known of the processors that the threads were given. The quota is of
// the group of that process whose group was stopped for longest.
nlohmann::ordered_json OffCpuJson(const std::vector<FileFacts>& files);

}  // namespace edgewise
