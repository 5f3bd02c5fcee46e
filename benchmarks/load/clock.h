#pragma once

#include <cstdint>
#include <ctime>

// The load generator's clock: the only file of it that reads one.

namespace edgewise::load {

inline int64_t ReadClockNs(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// CLOCK_MONOTONIC in ns: what every time of a sample is expressed in.
inline int64_t NowNs() { return ReadClockNs(CLOCK_MONOTONIC); }

// CLOCK_REALTIME - CLOCK_MONOTONIC in ns, so that a sample can be compared with
// a wall-clock log. Keeps the tightest of a few readings: a preemption between
// the two clock reads would otherwise end up in the offset.
inline int64_t RealtimeOffsetNs() {
  int64_t best_width_ns = INT64_MAX;
  int64_t offset_ns = 0;
  for (int i = 0; i < 5; ++i) {
    const int64_t before_ns = NowNs();
    const int64_t realtime_ns = ReadClockNs(CLOCK_REALTIME);
    const int64_t after_ns = NowNs();
    if (after_ns - before_ns >= best_width_ns) continue;
    best_width_ns = after_ns - before_ns;
    offset_ns = realtime_ns - (before_ns + best_width_ns / 2);
  }
  return offset_ns;
}

}  // namespace edgewise::load
