#include "boost/queue_watch.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <array>

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
      watch_fd_(WatchOf(loop_fd)) {}

QueueWatch::~QueueWatch() {
  for (const int fd : {wake_fd_, watch_fd_}) {
    if (fd >= 0) close(fd);
  }
}

QueueWatch::Arrival QueueWatch::Sleep(int64_t ns, bool listens) {
  if (listens && TakeArrival()) return Arrival::kBefore;
  if (ns <= 0) return Arrival::kNone;
  // A negative descriptor is left out.
  std::array<pollfd, 2> files{{{wake_fd_, POLLIN, 0}, {watch_fd_, POLLIN, 0}}};
  const timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
  if (ppoll(files.data(), listens ? 2 : 1, &time, nullptr) <= 0) {
    return Arrival::kNone;
  }
  if (files[0].revents != 0) {
    eventfd_t count;
    static_cast<void>(eventfd_read(wake_fd_, &count));
  }
  return files[1].revents != 0 && TakeArrival() ? Arrival::kNow
                                                : Arrival::kNone;
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
