#include "platform/clock.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace edgewise {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

// The TSC is a clock only where the kernel found it constant and non-stop.
bool TscIsAClock() {
#if defined(__x86_64__)
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("flags")) continue;
    return line.find(" constant_tsc") != std::string::npos &&
           line.find(" nonstop_tsc") != std::string::npos;
  }
#endif
  return false;
}

double MeasureTicksPerNs() {
  constexpr int64_t kMeasuredNs = 2'000'000;
  const ClockTriple first = ReadClocks();
  const timespec pause{0, kMeasuredNs};
  nanosleep(&pause, nullptr);
  // Where a sandbox refuses that, the time is waited for.
  while (MonotonicNs() - first.monotonic_ns < kMeasuredNs) {
  }
  const ClockTriple last = ReadClocks();
  return static_cast<double>(last.ticks - first.ticks) /
         static_cast<double>(last.monotonic_ns - first.monotonic_ns);
}

}  // namespace

namespace internal_clock {
const bool kUseTsc = TscIsAClock();
}  // namespace internal_clock

std::string_view TickSource() {
  return internal_clock::kUseTsc ? "tsc" : "monotonic";
}

ClockTriple ReadClocks() {
  // The tightest of three readings: a preemption between any two clocks would
  // otherwise shift every time of a chunk. None is as short as kAtOnce ticks.
  constexpr uint64_t kAtOnce = 1000;
  ClockTriple best{};
  uint64_t best_width = UINT64_MAX;
  for (int i = 0; i < 3 && best_width > kAtOnce; ++i) {
    const uint64_t before = Ticks();
    const int64_t monotonic_ns = MonotonicNs();
    timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    const uint64_t after = Ticks();
    if (after - before >= best_width) continue;
    best_width = after - before;
    best = {before + (after - before) / 2, monotonic_ns,
            int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec};
  }
  return best;
}

std::optional<int64_t> MonotonicAheadNs() {
  // The offsets are of the namespace in which children will be.
  std::array<char, 64> own;
  std::array<char, 64> childrens;
  const ssize_t own_size = readlink("/proc/self/ns/time", own.data(), 64);
  if (own_size < 0) return 0;  // Before Linux 5.6.
  const ssize_t childrens_size =
      readlink("/proc/self/ns/time_for_children", childrens.data(), 64);
  if (own_size != childrens_size ||
      !std::equal(own.begin(), own.begin() + own_size, childrens.begin())) {
    return {};
  }
  std::ifstream offsets("/proc/self/timens_offsets");
  std::string clock;
  int64_t seconds = 0;
  int64_t ns = 0;
  while (offsets >> clock >> seconds >> ns) {
    // Their number, in the first kernels that had them.
    if (clock == "monotonic" || clock == "1") return seconds * kSecondNs + ns;
  }
  return {};
}

double TicksPerNs() {
  if (!internal_clock::kUseTsc) return 1.0;
  static const double ratio = MeasureTicksPerNs();
  return ratio;
}

}  // namespace edgewise
