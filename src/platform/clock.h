#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <time.h>

// The one place that reads clocks. Hot paths read raw ticks: the time stamp
// counter where the kernel calls it constant and non-stop, else
// CLOCK_MONOTONIC in nanoseconds. Ticks become nanoseconds offline, from the
// clock triples stored beside them.

namespace edgewise {

// The three clocks read together (within about 100 ns).
struct ClockTriple {
  uint64_t ticks;
  int64_t monotonic_ns;
  int64_t realtime_ns;
};

inline int64_t MonotonicNs() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

inline int64_t RealtimeNs() {
  timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  return int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

inline timespec TimespecOf(int64_t ns) {
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

namespace internal_clock {
extern const bool kUseTsc;
}  // namespace internal_clock

// The current time in raw ticks. Monotonic on one machine; 8 ns with the TSC.
inline uint64_t Ticks() {
#if defined(__x86_64__)
  if (internal_clock::kUseTsc) [[likely]]
    return __rdtsc();
#endif
  return static_cast<uint64_t>(MonotonicNs());
}

// "tsc" or "monotonic": what Ticks() reads.
std::string_view TickSource();

ClockTriple ReadClocks();

// How far CLOCK_MONOTONIC of this process is ahead of the kernel's own, by
// which perf tells times: what its time namespace adds (time_namespaces(7)).
// Nothing: that is not to be known.
std::optional<int64_t> MonotonicAheadNs();

// Ticks per nanosecond, measured once against CLOCK_MONOTONIC to about 1e-4:
// for thresholds and deadlines, not for reports. The first call may sleep 2 ms.
double TicksPerNs();

inline double NsPerTick() {
  static const double ns_per_tick = 1 / TicksPerNs();
  return ns_per_tick;
}

// What Ticks() said in nanoseconds, from an origin of its own and with the
// error of TicksPerNs(): for durations and deadlines of one process.
inline int64_t TickNs(uint64_t ticks) {
  return static_cast<int64_t>(static_cast<double>(ticks) * NsPerTick());
}
inline int64_t MonotonicTickNs() {
  // Before the clock is read: the first call of it may sleep.
  const double ns_per_tick = NsPerTick();
  return static_cast<int64_t>(static_cast<double>(Ticks()) * ns_per_tick);
}

inline uint64_t NsToTicks(double ns) {
  return static_cast<uint64_t>(ns * TicksPerNs());
}

}  // namespace edgewise
