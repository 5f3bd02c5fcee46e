#include "whatif/model/model.h"

#include <algorithm>

namespace edgewise {

size_t ColdCaches::BinOf(float idle_ns) {
  return static_cast<size_t>(
      std::upper_bound(kIdleNs.begin(), kIdleNs.end(), idle_ns) -
      kIdleNs.begin());
}

}  // namespace edgewise
