#pragma once

#include <array>
#include <cstdint>

namespace edgewise {

// When the requests that began last were ready.
class RecentRequests {
 public:
  void Note(uint32_t request, uint64_t ready) {
    recent_[request % kMost] = {request, ready};
  }
  // From its ready time to `end`, ticks; 0: it is forgotten.
  uint64_t LatencyOf(uint32_t request, uint64_t end) const {
    const Recent& recent = recent_[request % kMost];
    return recent.request == request ? end - recent.ready : 0;
  }

 private:
  static constexpr uint32_t kMost = 4096;
  struct Recent {
    uint32_t request;
    uint64_t ready;
  };
  std::array<Recent, kMost> recent_{};
};

}  // namespace edgewise
