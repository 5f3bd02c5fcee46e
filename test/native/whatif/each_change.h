#pragma once

#include <vector>

#include "whatif/prediction/change.h"

namespace edgewise {

// A change of each kind, each a scenario of its own, for traces of any kind.
inline std::vector<Scenario> EachChange() {
  std::vector<Scenario> scenarios;
  for (int kind = 0; kind <= static_cast<int>(Change::Kind::kMaxValue);
       ++kind) {
    Change change{};
    change.kind = static_cast<Change::Kind>(kind);
    change.scale = 0.7;
    change.count = 2;
    change.first = 1;
    change.second = 2;
    change.bytes = 1 << 20;
    scenarios.push_back({"it", {change}});
  }
  return scenarios;
}

}  // namespace edgewise
