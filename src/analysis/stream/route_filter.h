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
  bool streams =
      false;  // also event streams and long polls, which wait by design

  bool Has(const std::string& route) const {
    return (only.empty() || route == only) && !LeavesOut(route) &&
           !LeavesStreamOut(route);
  }
  bool LeavesOut(const std::string& route) const {
    return std::find(left_out.begin(), left_out.end(), route) != left_out.end();
  }
  // The recorder tells them by what it adds to their routes (lib/instrument).
  bool LeavesStreamOut(const std::string& route) const {
    return !streams && route != only &&
           (route.ends_with(" (event stream)") ||
            route.ends_with(" (long poll)"));
  }
};

}  // namespace edgewise
