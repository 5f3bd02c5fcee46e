#include "boost/queue_watch.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <array>

#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr int kMostCounted = 256;

int WatchOf(int loop_fd) {
  if (loop_fd < 0) return -1;
  const int fd = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  if (fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, loop_fd, &event) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

QueueWatch::QueueWatch(int loop_fd)
    : loop_fd_(loop_fd),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_fd_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      watch_fd_(WatchOf(loop_fd)) {}

QueueWatch::~QueueWatch() {
  for (const int fd : {wake_fd_, timer_fd_, watch_fd_}) {
    if (fd >= 0) close(fd);
  }
}

QueueWatch::Arrival QueueWatch::Sleep(int64_t ns, bool listens) {
  if (listens && TakeArrival()) return Arrival::kBefore;
  if (ns <= 0) return Arrival::kNone;
  SetTimer(ns);
  // A negative descriptor is left out; without a timer, ppoll is told the time.
  std::array<pollfd, 3> files{
      {{wake_fd_, POLLIN, 0}, {timer_fd_, POLLIN, 0}, {watch_fd_, POLLIN, 0}}};
  const timespec time = TimespecOf(ns);
  if (ppoll(files.data(), listens ? 3 : 2, timer_fd_ < 0 ? &time : nullptr,
            nullptr) <= 0) {
    return Arrival::kNone;
  }
  if (files[0].revents != 0) {
    eventfd_t count;
    static_cast<void>(eventfd_read(wake_fd_, &count));
  }
  return files[2].revents != 0 && TakeArrival() ? Arrival::kNow
                                                : Arrival::kNone;
}

// On a virtual machine a timer costs more than the rest of a sleep, set or
// cancelled: one that fires too early is the lesser evil.
void QueueWatch::SetTimer(int64_t ns) {
  const int64_t now_ns = MonotonicTickNs();
  if (timer_ns_ > now_ns && timer_ns_ <= now_ns + ns) return;
  timer_ns_ = now_ns + ns;
  const itimerspec once{{0, 0}, TimespecOf(ns)};
  // That it has fired is forgotten by this, too.
  timerfd_settime(timer_fd_, 0, &once, nullptr);
}

void QueueWatch::Wake() { static_cast<void>(eventfd_write(wake_fd_, 1)); }

int QueueWatch::CountReady() const {
  std::array<epoll_event, kMostCounted> ready;
  return epoll_wait(loop_fd_, ready.data(), kMostCounted, 0);
}

bool QueueWatch::TakeArrival() {
  epoll_event event;
  return epoll_wait(watch_fd_, &event, 1, 0) > 0;
}

}  // namespace edgewise
