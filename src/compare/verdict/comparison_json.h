#pragma once

#include <nlohmann/json.hpp>

#include "compare/sample/side.h"
#include "compare/verdict/comparison.h"

namespace edgewise {

// docs/compare.md; what is not known is null.
nlohmann::ordered_json ComparisonJson(const Comparison& comparison,
                                      const SideNames& names);

}  // namespace edgewise
