#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace edgewise {

// What a request's latency is made of. They sum to it.
enum class LatencyPart : uint8_t { kIo, kQueue, kExecution, kGc, kNotRunning };
inline constexpr size_t kLatencyParts = 5;

// A part of the latency in detail: I/O of one dependency, queueing behind one
// cause.
struct DetailTime {
  uint32_t detail;  // its number in Details
  float ns;
};

struct ComparedRequest {
  int64_t at_ns;  // when it was ready, CLOCK_REALTIME
  float latency_ns;
  uint32_t route;
  uint32_t client;  // its connection, unique within the run; 0: not known
  std::array<float, kLatencyParts> parts_ns;
  float bytes = -1;           // that it has sent; -1: not known
  uint32_t first_detail = 0;  // of Run::details
  uint32_t details = 0;
};

// One recording; its requests by time, all in [begin_ns, end_ns].
struct Run {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::vector<ComparedRequest> requests;
  std::vector<DetailTime> details;  // of its requests, in any order

  int64_t span_ns() const { return end_ns - begin_ns; }
};

// How a side was recorded: what must be the same on both, and what was lost.
struct Recorded {
  std::vector<std::string> how;  // such as "causality events", sorted
  uint64_t records = 0;
  uint64_t dropped = 0;  // besides those
  double busy = 0;       // the share of its time that a loop was; 0: not known
};

// Recordings of one version of the program.
struct Side {
  std::vector<Run> runs;
  Recorded recorded;

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

// What the numbers of both sides stand for.
struct SideNames {
  struct Detail {
    LatencyPart part;
    std::string name;
  };
  std::vector<std::string> routes;
  std::vector<Detail> details;
};

}  // namespace edgewise
