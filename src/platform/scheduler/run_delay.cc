#include "platform/scheduler/run_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

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
  text[static_cast<size_t>(bytes)] = '\0';
  long long delay;  // NOLINT(google-runtime-int): what sscanf takes
  return std::sscanf(text.data(), "%*d %lld", &delay) == 1 ? delay : -1;
}

}  // namespace edgewise
