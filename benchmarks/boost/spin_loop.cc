#include "benchmarks/boost/spin_loop.h"

#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr int kStepsPerUnit = 256;  // about 0.3 us
constexpr int64_t kGapNs = 2'000;

// One after the other: no processor does two at a time.
uint64_t Unit(uint64_t value) {
  for (int i = 0; i < kStepsPerUnit; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));
  }
  return value;
}

}  // namespace

std::vector<double> UnitsByWindow(int64_t duration_ns, int64_t window_ns) {
  std::vector<double> windows;
  windows.reserve(static_cast<size_t>(duration_ns / window_ns));
  uint64_t value = 1;
  int64_t begin_ns = MonotonicNs();
  const int64_t until_ns = begin_ns + duration_ns;
  while (begin_ns < until_ns) {
    int64_t units = 0;
    int64_t now_ns = begin_ns;
    for (; now_ns - begin_ns < window_ns; ++units) {
      value = Unit(value);
      now_ns = MonotonicNs();
    }
    // A steal may have stretched the last unit, and the window with it.
    windows.push_back(static_cast<double>(units) *
                      static_cast<double>(window_ns) /
                      static_cast<double>(now_ns - begin_ns));
    begin_ns = now_ns;
  }
  return windows;
}

std::vector<Gap> WatchForGaps(const std::atomic<bool>& stop) {
  std::vector<Gap> gaps;
  int64_t last_ns = MonotonicNs();
  // Relaxed: the flag passes nothing but itself.
  while (!stop.load(std::memory_order_relaxed)) {
    const int64_t now_ns = MonotonicNs();
    if (now_ns - last_ns > kGapNs) gaps.push_back({last_ns, now_ns});
    last_ns = now_ns;
  }
  return gaps;
}

}  // namespace edgewise
