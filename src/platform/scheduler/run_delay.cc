#include "platform/scheduler/run_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <system_error>

namespace edgewise {

RunDelay::RunDelay()
    : fd_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

RunDelay::~RunDelay() {
  if (fd_ >= 0) close(fd_);
}

RunDelay::Sums RunDelay::Read() const {
  // Three numbers: ns on a processor, ns of waiting for one, how often it was
  // given one.
  std::array<char, 96> text;
  const ssize_t bytes =
      fd_ < 0 ? -1 : pread(fd_, text.data(), text.size() - 1, 0);
  if (bytes <= 0) return {};
  const char* at = text.data();
  const char* const end = at + bytes;
  std::array<int64_t, 3> numbers;
  for (int64_t& number : numbers) {
    if (at == end) return {};
    if (*at == ' ') ++at;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) return {};
    at = after;
  }
  return {numbers[1], numbers[2]};
}

}  // namespace edgewise
