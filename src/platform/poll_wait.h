#pragma once

#include <cstdint>

namespace edgewise {

// How long an epoll_wait that finds `files` ready takes at most, in ns, if it
// does not sleep for them: 0.3 µs, and 0.1 µs a file, is usual. One that took
// longer has slept, and what it found has only just come.
constexpr int64_t LongestLookNs(int files) {
  return 4'000 + int64_t{100} * files;
}

}  // namespace edgewise
