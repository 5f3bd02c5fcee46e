#include "platform/scheduler/run_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace edgewise {

RunDelay::RunDelay()
    : fd_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

RunDelay::~RunDelay() {
  if (fd_ >= 0) close(fd_);
}

int64_t RunDelay::Ns() const {
  // Three numbers: ns on a processor, ns of waiting for one, time slices.
  std::array<char, 96> text;
  const ssize_t bytes =
      fd_ < 0 ? -1 : pread(fd_, text.data(), text.size() - 1, 0);
  if (bytes <= 0) return -1;
  const char* const end = text.data() + bytes;
  const char* const space = std::find(text.data(), text.data() + bytes, ' ');
  int64_t delay;
  return space != end &&
                 std::from_chars(space + 1, end, delay).ec == std::errc{}
             ? delay
             : -1;
}

}  // namespace edgewise
