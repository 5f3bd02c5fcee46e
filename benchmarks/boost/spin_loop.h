#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace edgewise {

// Arithmetic in 1 ms windows, on the calling thread: how many units of it each
// window took. Begins and ends with whole windows.
std::vector<double> UnitsByWindow(int64_t duration_ns, int64_t window_ns);

// A time in which the calling thread did not run, ns of MonotonicNs().
struct Gap {
  int64_t begin_ns;
  int64_t end_ns;
};

// Reads the clock until `stop` (set by another thread); the gaps of more than
// 2 us.
std::vector<Gap> WatchForGaps(const std::atomic<bool>& stop);

}  // namespace edgewise
