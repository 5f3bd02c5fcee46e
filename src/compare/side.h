#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgewise {

// What a request's latency is made of. They sum to it.
enum class LatencyPart : uint8_t { kIo, kQueue, kExecution, kGc, kNotRunning };
inline constexpr size_t kLatencyParts = 5;

struct ComparedRequest {
  int64_t at_ns;  // when it was ready, CLOCK_REALTIME
  float latency_ns;
  uint32_t route;
  uint32_t client;  // its connection, unique within the run; 0: not known
  std::array<float, kLatencyParts> parts_ns;
};

// One recording; its requests by time, all in [begin_ns, end_ns].
struct Run {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::vector<ComparedRequest> requests;

  int64_t span_ns() const { return end_ns - begin_ns; }
};

// Recordings of one version of the program.
struct Side {
  std::vector<Run> runs;

  size_t requests() const {
    size_t count = 0;
    for (const Run& run : runs) count += run.requests.size();
    return count;
  }
  int64_t span_ns() const {
    int64_t ns = 0;
    for (const Run& run : runs) ns += run.span_ns();
    return ns;
  }
};

}  // namespace edgewise
