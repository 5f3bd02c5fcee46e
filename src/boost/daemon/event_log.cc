#include "boost/daemon/event_log.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

std::string UtcNow() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts;
  gmtime_r(&now.tv_sec, &parts);
  std::array<char, 32> text{};
  const size_t size =
      strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return absl::StrCat(std::string(text.data(), size), ".",
                      absl::Dec(now.tv_nsec / 1'000'000, absl::kZeroPad3), "Z");
}

// Whether a line can be written without waiting: a pipe then has room for a
// page. O_NONBLOCK would be everybody's who has the descriptor.
bool HasRoom(int fd) {
  pollfd waiting{fd, POLLOUT, 0};
  return poll(&waiting, 1, /*timeout=*/0) == 1 &&
         (waiting.revents & POLLOUT) != 0;
}

}  // namespace

void EventLog::Write(const std::string& text, int64_t now_ns) {
  if (!lines_.Take(now_ns) || !HasRoom(fd_)) {
    ++left_out_;
    return;
  }
  std::string line = absl::StrCat(UtcNow(), " edgewise boostd: ", text);
  if (left_out_ > 0)
    absl::StrAppend(&line, " (", left_out_, " lines left out)");
  left_out_ = 0;
  line.push_back('\n');
  // A log that cannot be written must not stop the daemon.
  static_cast<void>(!write(fd_, line.data(), line.size()));
}

}  // namespace edgewise
