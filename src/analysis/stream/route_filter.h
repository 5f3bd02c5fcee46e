#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace edgewise {

// Which routes an analysis is about, by their texts: numbers are given out as
// routes appear.
struct RouteFilter {
  std::string only;                   // "": all
  std::vector<std::string> left_out;  // of them

  bool Has(const std::string& route) const {
    return (only.empty() || route == only) && !LeavesOut(route);
  }
  bool LeavesOut(const std::string& route) const {
    return std::find(left_out.begin(), left_out.end(), route) != left_out.end();
  }
};

}  // namespace edgewise
