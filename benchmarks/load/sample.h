#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "absl/strings/string_view.h"

namespace edgewise::load {

// How a request ended without a complete response.
enum class Failure : uint8_t {
  kNone = 0,
  kRefused,   // nobody listens
  kConnect,   // another error of connect(2), e.g. no free local port
  kSocket,    // no descriptor left on this side
  kReset,     // the peer reset the connection
  kClosed,    // the peer closed it before the response was complete
  kTimeout,   // no complete response within the time-out
  kProtocol,  // the response is not HTTP/1.1 as specified
  kAborted,   // the run was interrupted while this one was under way
};
inline constexpr int kFailures = 9;
absl::string_view FailureName(Failure failure);

// What is kept of one request. Times are CLOCK_MONOTONIC in ns; 0 means that it
// did not come to that.
struct Sample {
  int64_t intended_ns = 0;    // when the arrival process wanted it sent
  int64_t due_ns = 0;         // intended, or when one of a limited number of
                              // connections was free for it
  int64_t dispatched_ns = 0;  // when the generator took it up; minus due: the
                              // generator's own lag
  int64_t sent_ns = 0;        // first send(2), once its connection was open
  int64_t first_byte_ns = 0;
  int64_t end_ns = 0;   // complete response, or the failure
  uint32_t spec = 0;    // index into the mix's requests
  uint32_t server = 0;  // index into the engine's servers
  uint16_t local_port = 0;
  int16_t status = 0;  // 0: no response
  Failure failure = Failure::kNone;
  bool warmup = false;
  bool unexpected = false;  // a response, but not what the mix expects
};

// What a run yields. A deque: it grows without moving a hundred megabytes of
// samples in the middle of the run, which would show up as lag.
struct RunResult {
  std::deque<Sample> samples;
  int64_t start_ns = 0;            // CLOCK_MONOTONIC: arrival time zero
  int64_t measured_from_ns = 0;    // end of the warm-up
  int64_t measured_to_ns = 0;      // end of the arrivals
  int64_t realtime_offset_ns = 0;  // CLOCK_REALTIME - CLOCK_MONOTONIC, at start
  uint64_t connections_opened = 0;
  uint64_t connections_peak = 0;  // open at the same time
  std::string first_error;        // in words; empty when none
  int interrupted_by = 0;         // signal number; 0: ran to its end
};

}  // namespace edgewise::load
