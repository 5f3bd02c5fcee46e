#include "recorder/ready_watcher.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "platform/clock.h"
#include "platform/poll_wait.h"

namespace edgewise {
namespace {

constexpr int kEdgesPerLook = 256;

// As libuv waits, where a sandbox knows epoll_pwait only.
int WaitForEdges(int epoll_fd, epoll_event* edges, int most, int timeout) {
  return epoll_pwait(epoll_fd, edges, most, timeout, nullptr);
}

// An epoll with an eventfd in it, looked at as the helper does.
absl::Status TryToLook(int epoll_fd, int event_fd) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event) != 0) {
    return absl::ErrnoToStatus(errno, "epoll_ctl");
  }
  if (eventfd_write(event_fd, 1) != 0) {
    return absl::ErrnoToStatus(errno, "write to an eventfd");
  }
  if (WaitForEdges(epoll_fd, &event, 1, 0) != 1) {
    return absl::ErrnoToStatus(errno, "epoll_pwait");
  }
  pollfd file = {event_fd, POLLIN, 0};
  return poll(&file, 1, 0) == 1 ? absl::OkStatus()
                                : absl::ErrnoToStatus(errno, "poll");
}

}  // namespace

void ReadyWatcher::FreeSlots::operator()(Slot* slots) const {
  munmap(static_cast<void*>(slots), sizeof(Slot) * kMaxFds);
}

absl::Status ReadyWatcher::CanWatch() {
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return absl::ErrnoToStatus(errno, "epoll_create1");
  const int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  absl::Status status = event_fd < 0 ? absl::ErrnoToStatus(errno, "eventfd")
                                     : TryToLook(epoll_fd, event_fd);
  if (event_fd >= 0) close(event_fd);
  close(epoll_fd);
  return status;
}

absl::StatusOr<std::unique_ptr<ReadyWatcher>> ReadyWatcher::Start(
    int64_t interval_ns, OnLook on_look) {
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return absl::ErrnoToStatus(errno, "epoll_create1");
  const int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_fd < 0) {
    close(epoll_fd);
    return absl::ErrnoToStatus(errno, "eventfd");
  }
  std::unique_ptr<ReadyWatcher> watcher(
      new ReadyWatcher(epoll_fd, stop_fd, interval_ns, std::move(on_look)));
  if (watcher->slots_ == nullptr) {
    return absl::ResourceExhaustedError("no memory for the descriptor table");
  }
  if (!watcher->Watch(stop_fd)) {
    return absl::ErrnoToStatus(errno, "epoll_ctl");
  }
  absl::StatusOr<HelperThread> helper =
      HelperThread::Start("edgewise-ready", [w = watcher.get()] { w->Run(); });
  if (!helper.ok()) return helper.status();
  watcher->helper_ = *std::move(helper);
  return watcher;
}

ReadyWatcher::ReadyWatcher(int epoll_fd, int stop_fd, int64_t interval_ns,
                           OnLook on_look)
    : epoll_fd_(epoll_fd),
      stop_fd_(stop_fd),
      interval_ns_(interval_ns),
      interval_ticks_(NsToTicks(static_cast<double>(interval_ns))),
      on_look_(std::move(on_look)) {
  void* memory = mmap(nullptr, sizeof(Slot) * kMaxFds, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) slots_.reset(static_cast<Slot*>(memory));
}

ReadyWatcher::~ReadyWatcher() {
  eventfd_write(stop_fd_, 1);
  if (helper_.joinable()) helper_.join();
  close(stop_fd_);
  close(epoll_fd_);
}

bool ReadyWatcher::Watch(int fd, bool accepted) {
  if (fd < 0 || fd >= kMaxFds) return false;
  Slot& slot = slots_[fd];
  // What a file left that had the number before is stale; and before the helper
  // may see an edge of this one.
  const uint64_t consumed = slot.consumed.load(std::memory_order_relaxed);
  slot.consumed.store(Ticks(), std::memory_order_relaxed);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.fd = fd;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0) {
    slot.consumed.store(consumed, std::memory_order_relaxed);
    return false;
  }
  if (!accepted) TakeAccepted(fd);
  return true;
}

int64_t ReadyWatcher::CpuNs() const {
  clockid_t clock;
  timespec ts;
  if (pthread_getcpuclockid(helper_.native_handle(), &clock) != 0 ||
      clock_gettime(clock, &ts) != 0) {
    return 0;
  }
  return int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

void ReadyWatcher::Run() {
  UsePreciseSleep();
  std::array<epoll_event, kEdgesPerLook> edges;
  uint64_t last_look = Ticks();
  bool look_again = false;
  for (;;) {
    const uint64_t before = Ticks();
    const int count = WaitForEdges(epoll_fd_, edges.data(), kEdgesPerLook,
                                   look_again ? 0 : -1);
    const uint64_t now = Ticks();
    for (int i = 0; i < count; ++i) {
      if (edges[i].data.fd == stop_fd_) return;
    }
    const bool slept = TickNs(now - before) > LongestLookNs(count);
    const uint64_t ticks = slept ? now : last_look + (now - last_look) / 2;
    if (count > 0) Note(edges.data(), count, ticks);
    look_again = on_look_ && on_look_(ticks);
    last_look = now;
    const bool alone = now - before > interval_ticks_;
    if (alone && !look_again && LoopKeepsUp(now)) continue;
    evasion_.Leave();
    SleepNs(interval_ns_);
  }
}

// It sleeps, or did until less than an interval ago.
bool ReadyWatcher::LoopKeepsUp(uint64_t now) const {
  const uint64_t woke = loop_woke_.load(std::memory_order_relaxed);
  return woke == kWaits || now - woke < interval_ticks_;
}

void ReadyWatcher::Note(const epoll_event* edges, int count, uint64_t ticks) {
  // Only what can still be read is news; the loop has had the rest.
  std::array<pollfd, kEdgesPerLook> files;
  for (int i = 0; i < count; ++i) files[i] = {edges[i].data.fd, POLLIN, 0};
  if (poll(files.data(), static_cast<nfds_t>(count), 0) <= 0) return;
  for (int i = 0; i < count; ++i) {
    if ((files[i].revents & POLLNVAL) != 0) continue;
    if ((files[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    NoteReady(files[i].fd, ticks);
  }
}

void ReadyWatcher::NoteReady(int fd, uint64_t ticks) {
  Slot& slot = slots_[fd];
  const uint64_t consumed = slot.consumed.load(std::memory_order_relaxed);
  const uint64_t since = std::max(ticks, consumed + 1);
  if (slot.ready.load(std::memory_order_relaxed) <= consumed) {
    slot.ready.store(since, std::memory_order_relaxed);
  }
  AcceptBacklog* const backlog = BacklogOf(fd);
  if (backlog == nullptr) return;
  tcp_info info;
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0) {
    backlog->Note(info.tcpi_unacked,
                  since);  // of a listening socket: its backlog
  }
}

void ReadyWatcher::Listen(int fd, bool listens) {
  Listening* free = nullptr;
  for (Listening& listening : listening_) {
    const int taken = listening.fd.load(std::memory_order_relaxed);
    if (taken == fd) listening.fd.store(-1, std::memory_order_relaxed);
    if (taken == fd || taken == -1) free = &listening;
  }
  if (!listens || free == nullptr) return;
  free->backlog.Clear();
  free->fd.store(fd, std::memory_order_relaxed);
}

}  // namespace edgewise
