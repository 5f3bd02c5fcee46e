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
#include "platform/scheduler/cpu_quota.h"

namespace edgewise {
namespace {

constexpr int kEdgesPerLook = 256;

// How often a loop with traffic is looked at for a long turn.
constexpr int kTickMs = 1;
// Where looks take of what the loop could have, on its own processor or of a
// small quota, they are to take at most 2 %: up to 30 us each on virtual
// machines.
constexpr int kSharedTickMs = 2;
constexpr int64_t kSharedRestNs = 2'000'000;
constexpr double kSmallQuota = 2;
// Who says to have slept for less was perhaps only displaced.
constexpr int64_t kShortestSleepNs = 10'000;
// A loop that was found waiting so often in a row has no traffic.
constexpr int kIdleTicks = 16;
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
  const int accepted_fd = epoll_create1(EPOLL_CLOEXEC);
  const int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<ReadyWatcher> watcher(new ReadyWatcher(
      epoll_fd, accepted_fd, stop_fd, interval_ns, std::move(on_look)));
  if (accepted_fd < 0) return absl::ErrnoToStatus(errno, "epoll_create1");
  if (stop_fd < 0) return absl::ErrnoToStatus(errno, "eventfd");
  if (watcher->slots_ == nullptr) {
    return absl::ResourceExhaustedError("no memory for the descriptor table");
  }
  if (!watcher->Watch(stop_fd)) {
    return absl::ErrnoToStatus(errno, "epoll_ctl");
  }
  watcher->ListenToAccepted(true);
  absl::StatusOr<HelperThread> helper =
      HelperThread::Start("edgewise-ready", [w = watcher.get()] { w->Run(); });
  if (!helper.ok()) return helper.status();
  watcher->helper_ = *std::move(helper);
  return watcher;
}

ReadyWatcher::ReadyWatcher(int epoll_fd, int accepted_fd, int stop_fd,
                           int64_t interval_ns, OnLook on_look)
    : epoll_fd_(epoll_fd),
      accepted_fd_(accepted_fd),
      stop_fd_(stop_fd),
      interval_ns_(interval_ns),
      interval_ticks_(NsToTicks(static_cast<double>(interval_ns))),
      on_look_(std::move(on_look)) {
  void* memory = mmap(nullptr, sizeof(Slot) * kMaxFds, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) slots_.reset(static_cast<Slot*>(memory));
}

ReadyWatcher::~ReadyWatcher() {
  if (helper_.joinable()) {
    eventfd_write(stop_fd_, 1);
    helper_.join();
  }
  for (const int fd : {stop_fd_, accepted_fd_, epoll_fd_}) {
    if (fd >= 0) close(fd);
  }
}

bool ReadyWatcher::Watch(int fd, bool accepted) {
  if (!Add(epoll_fd_, fd, EPOLLIN | EPOLLET)) return false;
  slots_[fd].connecting.store(false, std::memory_order_relaxed);
  if (!accepted) TakeAccepted(fd);
  return true;
}

bool ReadyWatcher::WatchConnecting(int fd) {
  if (fd < 0 || fd >= kMaxFds) return false;
  // Before the helper may see its first edge.
  slots_[fd].connecting.store(true, std::memory_order_relaxed);
  if (!Add(epoll_fd_, fd, EPOLLIN | EPOLLOUT | EPOLLET)) return false;
  TakeAccepted(fd);
  return true;
}

void ReadyWatcher::WatchAccepted(int fd) {
  Add(accepted_fd_, fd, EPOLLIN | EPOLLET);
}

// The first edge of any of them wakes the helper, once.
void ReadyWatcher::ListenToAccepted(bool listen) {
  epoll_event event{};
  event.events = listen ? EPOLLIN | EPOLLONESHOT : 0;
  event.data.fd = accepted_fd_;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, accepted_fd_, &event) != 0) {
    epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, accepted_fd_, &event);
  }
}

bool ReadyWatcher::Add(int epoll_fd, int fd, uint32_t events) {
  if (fd < 0 || fd >= kMaxFds) return false;
  Slot& slot = slots_[fd];
  // What a file left that had the number before is stale; and before the helper
  // may see an edge of this one.
  const uint64_t consumed = slot.consumed.load(std::memory_order_relaxed);
  slot.consumed.store(Ticks(), std::memory_order_relaxed);
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
    slot.consumed.store(consumed, std::memory_order_relaxed);
    return false;
  }
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

ReadyWatcher::Span ReadyWatcher::Span::Between(uint64_t from, uint64_t by) {
  const uint64_t middle = from + (by - from) / 2;
  const bool sure = TickNs(by - middle) <= kSureNs;
  return {from, sure ? middle : by, by};
}

void ReadyWatcher::Run() {
  UsePreciseSleep();
  const bool small_quota = CpuQuota::Find().processors() < kSmallQuota;
  shares_ = small_quota;
  const RunDelay delay;
  std::array<epoll_event, kEdgesPerLook> edges;
  uint64_t last_look = Ticks();
  bool look_again = false;
  for (;;) {
    const int tick_ms = shares_ ? kSharedTickMs : kTickMs;
    const int timeout = look_again ? 0 : ticking_ ? tick_ms : -1;
    const RunDelay::Sums sums = timeout == 0 ? RunDelay::Sums{} : delay.Read();
    const uint64_t before = Ticks();
    int count = WaitForEdges(epoll_fd_, edges.data(), kEdgesPerLook, timeout);
    const uint64_t now = Ticks();
    const bool slept = TickNs(now - before) > LongestLookNs(count);
    Span span = Span::Between(last_look, now);
    if (slept && count > 0) {
      // Woken by the first of them, or at the tick before; since then it has
      // waited for a processor. Before it slept it may have, too.
      const auto [waited_ns, turns] = delay.Read() - sums;
      const uint64_t woken =
          std::max(before, now - NsToTicks(static_cast<double>(waited_ns)));
      const bool by_edge =
          timeout < 0 || TickNs(now - before) < timeout * int64_t{1'000'000};
      const bool woken_once =
          turns == 1 && TickNs(woken - before) > kShortestSleepNs;
      span = count == 1 && by_edge && woken_once ? Span{woken, woken, now}
                                                 : Span::Between(woken, now);
    }
    bool clients = false;
    for (int i = 0; i < count; ++i) {
      if (edges[i].data.fd == stop_fd_) return;
      if (edges[i].data.fd != accepted_fd_) continue;
      clients = ticking_ = true;
      idle_ticks_ = 0;
      edges[i--] = edges[--count];
    }
    if (count > 0) Note(edges.data(), count, span);
    look_again = on_look_ && on_look_(slept && count == 0 ? now : span.since);
    const bool long_turn = Tick(span, clients);
    last_look = now;
    looked_.store(now, std::memory_order_relaxed);
    if (long_turn) shares_ = !evasion_.Leave() || small_quota;
    if (count == 0 && !look_again && !(clients && long_turn)) continue;
    const bool alone = count == 0 || now - before > interval_ticks_;
    if (alone && !look_again && LoopKeepsUp(now)) continue;
    shares_ = !evasion_.Leave() || small_quota;
    SleepNs(shares_ ? std::max(interval_ns_, kSharedRestNs) : interval_ns_);
  }
}

// Looks at the loop, once a tick, and where it is still in the turn in which it
// was found before at the connections from clients: true, and from then on
// their next edge, `woken`, wakes the helper. `span`: when it did.
bool ReadyWatcher::Tick(const Span& span, bool woken) {
  if (!ticking_) return false;
  const bool waits = loop_woke_.load(std::memory_order_relaxed) == kWaits;
  const uint64_t turn = turn_began_.load(std::memory_order_relaxed);
  const bool same_turn = turn == last_turn_ && !waits;
  if (!same_turn) {
    // Found waiting once, it may have had any number of turns since.
    idle_ticks_ = waits && turn == last_turn_ ? idle_ticks_ + 1 : 0;
    last_turn_ = turn;
    if (idle_ticks_ < kIdleTicks) return false;
    ticking_ = false;
    ListenToAccepted(true);
    return false;
  }
  const uint64_t asked = asked_since_.load(std::memory_order_relaxed);
  Span came =
      woken ? span : Span::Between(std::max(asked, last_accepted_), span.by);
  last_accepted_ = span.by;
  std::array<epoll_event, kEdgesPerLook> edges;
  int count;
  do {
    count = WaitForEdges(accepted_fd_, edges.data(), kEdgesPerLook, 0);
    // It is the first that has woken the helper.
    if (count > 1) came = Span::Between(came.from, came.by);
    if (count > 0) Note(edges.data(), count, came);
  } while (count == kEdgesPerLook);
  ListenToAccepted(true);
  return true;
}

// It sleeps, or did until less than an interval ago.
bool ReadyWatcher::LoopKeepsUp(uint64_t now) const {
  const uint64_t woke = loop_woke_.load(std::memory_order_relaxed);
  return woke == kWaits || now - woke < interval_ticks_;
}

void ReadyWatcher::Note(const epoll_event* edges, int count, const Span& span) {
  // Only what can still be read is news; the loop has had the rest. It may be
  // reading while this looks: then it has to be looked at again.
  constexpr int kTries = 3;
  std::array<int, kEdgesPerLook> fds;
  for (int i = 0; i < count; ++i) fds[i] = edges[i].data.fd;
  for (int tries = 0; count > 0 && tries < kTries; ++tries) {
    count = NoteReadable(fds.data(), count, span);
  }
}

// Notes those of `fds` that are ready and were not read from meanwhile. The
// others, whose number it returns, are moved to the front.
int ReadyWatcher::NoteReadable(int* fds, int count, const Span& span) {
  std::array<pollfd, kEdgesPerLook> files;
  std::array<uint64_t, kEdgesPerLook> consumed;
  for (int i = 0; i < count; ++i) {
    const Slot& slot = slots_[fds[i]];
    consumed[i] = slot.consumed.load(std::memory_order_acquire);
    const bool connecting = slot.connecting.load(std::memory_order_acquire);
    files[i] = {fds[i], static_cast<int16_t>(connecting ? POLLOUT : POLLIN), 0};
  }
  if (poll(files.data(), static_cast<nfds_t>(count), 0) <= 0) return 0;
  const uint64_t polled = Ticks();
  int left = 0;
  for (int i = 0; i < count; ++i) {
    if (files[i].revents == 0 || (files[i].revents & POLLNVAL) != 0) continue;
    const Slot& slot = slots_[files[i].fd];
    if (slot.consumed.load(std::memory_order_acquire) != consumed[i]) {
      fds[left++] = files[i].fd;
      continue;
    }
    const uint64_t unread = consumed[i] + 1;
    // The loop has had what the edge was for; this has come since, perhaps
    // after the look: the helper may have had to wait for a processor.
    NoteReady(files[i].fd,
              unread > span.since
                  ? Span::Between(unread, polled)
                  : Span{std::max(span.from, unread), span.since, span.by});
  }
  return left;
}

void ReadyWatcher::NoteReady(int fd, const Span& span) {
  Slot& slot = slots_[fd];
  const uint64_t consumed = slot.consumed.load(std::memory_order_relaxed);
  if (span.since > consumed) {
    if (slot.ready.load(std::memory_order_relaxed) <= consumed) {
      slot.from.store(span.from, std::memory_order_relaxed);
      slot.seen.store(span.by, std::memory_order_relaxed);
      slot.ready.store(span.since, std::memory_order_relaxed);
    }
    slot.latest.store(span.since, std::memory_order_relaxed);
  }
  AcceptBacklog* const backlog = BacklogOf(fd);
  if (backlog == nullptr) return;
  tcp_info info;
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0) {
    // Of a listening socket: its backlog.
    backlog->Note(info.tcpi_unacked, {span.since, span.bound()});
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
