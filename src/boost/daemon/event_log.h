#pragma once

#include <cstdint>
#include <string>

#include "boost/daemon/rate_limit.h"

namespace edgewise {

// One line an event to a descriptor, with the time; what comes too often, or
// finds no room in a pipe that nobody reads, is counted, and told with the next
// line that is written. Never waits. One thread.
class EventLog {
 public:
  // At most kBurst lines at once, and one every kIntervalNs in the long run.
  static constexpr int64_t kBurst = 20;
  static constexpr int64_t kIntervalNs = 200'000'000;

  explicit EventLog(int fd) : fd_(fd), lines_(kIntervalNs, kBurst) {}

  // `now_ns`: monotonic. The text must not come from a client.
  void Write(const std::string& text, int64_t now_ns);

 private:
  const int fd_;
  RateLimit lines_;
  uint64_t left_out_ = 0;
};

}  // namespace edgewise
