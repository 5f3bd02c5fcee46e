#pragma once

#include <cstdint>
#include <vector>

#include "analysis/stream/route_table.h"

namespace edgewise {

// The routes of one file's requests, by the order of their starts, from a pass
// before: what a request is called is known only when it ends.
class RequestRoutes {
 public:
  void Note(uint64_t ordinal, uint32_t route) {
    if (ordinal >= routes_.size()) {
      routes_.resize(ordinal + 1, RouteTable::kUnfinished);
    }
    routes_[ordinal] =
        route <= UINT16_MAX ? static_cast<uint16_t>(route) : RouteTable::kOther;
  }
  // Of one that has not ended, kUnfinished.
  uint32_t Of(uint64_t ordinal) const {
    return ordinal < routes_.size() ? routes_[ordinal]
                                    : uint32_t{RouteTable::kUnfinished};
  }

 private:
  std::vector<uint16_t> routes_;
};

}  // namespace edgewise
