#pragma once

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "platform/clock.h"
#include "platform/scheduler/run_delay.h"
#include "platform/thread.h"
#include "recorder/accept_backlog.h"

namespace edgewise {

// Sees when a descriptor became readable while the event loop was busy with
// something else (VEE'19 section 4.2: the helper thread).
//
// The helper owns an epoll of its own, in which each descriptor is registered
// edge-triggered: it never touches libuv's epoll, so it steals nothing from the
// loop, whatever libuv does with its own. It sleeps in the kernel until there
// is an edge, and after each look for one interval: what becomes ready while it
// rests is seen by the next look, right to half an interval. An edge that comes
// alone and meets a sleeping loop needs no rest: that would only be one more
// sleep, each of which wakes a processor. While the loop is busy the helper
// keeps off its processor: a collection would last longer for each look. Where
// there is no other one, or a small quota is for both, it looks more rarely.
//
// Stale edges: an edge may be for bytes that the loop has read since. The
// helper keeps an edge only if the descriptor is still readable, and the loop
// accepts a ready time only if it lies after its own last read.
//
// Connections that clients have opened are watched apart. The kernel stamps
// what they bring, but of several segments only the last: the watcher is for
// the first. It matters only while one turn of the loop takes long, so that an
// edge wakes nobody as long as the helper ticks: then it looks once a tick
// whether the loop is still in the same turn, and only if so at those
// connections. From then on each edge of theirs wakes it, until the turn ends.
// A loop that rests for some ticks ends the ticking until the next edge.
//
// A helper that is woken, but not given a processor, asks the scheduler how
// long it has waited for one: the edge came so much earlier. What came between
// two looks that were too far apart has a bound only.
class ReadyWatcher {
 public:
  // Descriptors from this number on are not watched.
  static constexpr int kMaxFds = 1 << 16;

  // Called at every look on the helper thread, with the ticks: for what is no
  // descriptor (the thread pool). True if more may come without an edge: the
  // helper looks again after the interval.
  using OnLook = std::function<bool(uint64_t)>;

  // What is known as well as this is no bound.
  static constexpr int64_t kSureNs = 2'500'000;

  // Whether this process may look, and else why not: of the calls that the
  // helper lives by, a sandbox may refuse any.
  static absl::Status CanWatch();

  // `interval_ns`: the pause after a look. `on_look` may be null.
  static absl::StatusOr<std::unique_ptr<ReadyWatcher>> Start(
      int64_t interval_ns, OnLook on_look);

  ~ReadyWatcher();
  ReadyWatcher(const ReadyWatcher&) = delete;
  ReadyWatcher& operator=(const ReadyWatcher&) = delete;

  // Loop thread, all of the following.

  // Watches `fd`. True if it was not watched before (it is new, or the number
  // was used by another file until now). `accepted`: SetAccepted() was for this
  // very file.
  bool Watch(int fd, bool accepted = false);

  // Watches `fd`, which is being connected: it is ready when it can be written.
  // Afterwards it is watched as others are.
  bool WatchConnecting(int fd);

  // Watches `fd`, a connection that a client has opened.
  void WatchAccepted(int fd);

  // Whether `fd`, which is watched, is a listening TCP socket: the arrivals of
  // the first few of a loop are timed one by one.
  void Listen(int fd, bool listens);

  // A connection was accepted on `fd`: when it arrived.
  Arrival TakeArrival(int fd) {
    AcceptBacklog* const backlog = BacklogOf(fd);
    return backlog != nullptr ? backlog->Take() : Arrival{};
  }

  // No connection waits on `fd`.
  void NoArrivals(int fd) {
    if (AcceptBacklog* const backlog = BacklogOf(fd)) backlog->Clear();
  }

  // The loop begins to wait for I/O.
  void LoopWaits() { loop_woke_.store(kWaits, std::memory_order_relaxed); }

  // It goes on at `now`, in ticks, on the processor `cpu`. `slept`: until then.
  void LoopGoesOn(uint64_t now, bool slept, int cpu) {
    loop_woke_.store(slept ? now : 0, std::memory_order_relaxed);
    const uint64_t before = turn_began_.load(std::memory_order_relaxed);
    asked_since_.store(slept ? now : before, std::memory_order_relaxed);
    turn_began_.store(now, std::memory_order_relaxed);
    evasion_.Avoid(cpu);
  }

  // When `fd` became readable after its last Consumed(), in ticks: about
  // `since`, but not before `from`, and surely by `by`; `latest`: when what
  // could be read grew last. 0: not seen. Where the helper was not given a
  // processor for so long that nothing better is known, `since` is `by`.
  struct Readiness {
    uint64_t since = 0;
    uint64_t from = 0;
    uint64_t by = 0;
    uint64_t latest = 0;

    bool sure() const { return TickNs(since - from) <= kSureNs; }
  };
  Readiness ReadySince(int fd) const {
    if (fd < 0 || fd >= kMaxFds) return {};
    const Slot& slot = slots_[fd];
    const uint64_t ready = slot.ready.load(std::memory_order_relaxed);
    if (ready <= slot.consumed.load(std::memory_order_relaxed)) return {};
    return {ready, slot.from.load(std::memory_order_relaxed),
            slot.seen.load(std::memory_order_relaxed),
            slot.latest.load(std::memory_order_relaxed)};
  }

  // What has come unseen came after this, ticks: the loop asked what is ready,
  // or the helper looked.
  uint64_t NothingUntil() const {
    return std::max(asked_since_.load(std::memory_order_relaxed),
                    looked_.load(std::memory_order_relaxed));
  }

  // The loop has just read from `fd`.
  void Consumed(int fd, uint64_t now) {
    if (fd >= 0 && fd < kMaxFds) {
      slots_[fd].consumed.store(now, std::memory_order_relaxed);
    }
  }

  // `fd` is connected, or will never be. What was ready is that.
  void Connected(int fd) {
    if (fd < 0 || fd >= kMaxFds) return;
    slots_[fd].connecting.store(false, std::memory_order_relaxed);
    const uint64_t ready = slots_[fd].ready.load(std::memory_order_relaxed);
    if (ready > slots_[fd].consumed.load(std::memory_order_relaxed)) {
      slots_[fd].consumed.store(ready, std::memory_order_relaxed);
    }
  }

  // How a connection came.
  struct Accept {
    uint64_t poll = 0;   // the loop's wait, by number, in which it was accepted
    uint64_t ticks = 0;  // when it was
    Arrival arrival;
  };

  // `fd` is a new connection. `accept.poll` is not 0.
  void SetAccepted(int fd, const Accept& accept) {
    if (fd < 0 || fd >= kMaxFds) return;
    Slot& slot = slots_[fd];
    if (slot.accept.poll == 0) ++accepted_;
    slot.accept = accept;
  }

  // The above, once; afterwards and for other descriptors its poll is 0.
  Accept TakeAccepted(int fd) {
    if (accepted_ == 0) [[likely]]
      return {};
    if (fd < 0 || fd >= kMaxFds || slots_[fd].accept.poll == 0) return {};
    --accepted_;
    return std::exchange(slots_[fd].accept, {});
  }

  // CPU time that the helper has used, ns.
  int64_t CpuNs() const;

 private:
  // Relaxed throughout: each value stands for itself, a late one is an older
  // truth. `ready`, `from`, `seen` and `latest` are written by the helper,
  // `consumed` by the loop. `from` and `seen`, written first, may be of a later
  // look than `ready`: they differ by a look's pause.
  struct Slot {
    std::atomic<uint64_t> ready;
    std::atomic<uint64_t> from;
    std::atomic<uint64_t> seen;
    std::atomic<uint64_t> latest;
    std::atomic<uint64_t> consumed;
    std::atomic<bool> connecting;  // loop writes, helper reads
    Accept accept;                 // the loop's own
  };

  static constexpr int kMaxListening = 4;
  struct Listening {
    std::atomic<int> fd{-1};  // loop writes, helper reads; relaxed: it is asked
    AcceptBacklog backlog;    // for by number only
  };

  AcceptBacklog* BacklogOf(int fd) {
    for (Listening& listening : listening_) {
      if (listening.fd.load(std::memory_order_relaxed) == fd) {
        return &listening.backlog;
      }
    }
    return nullptr;
  }

  ReadyWatcher(int epoll_fd, int accepted_fd, int stop_fd, int64_t interval_ns,
               OnLook on_look);
  bool Add(int epoll_fd, int fd, uint32_t events);
  void Run();
  // When edges came: about `since`, between `from` and `by`.
  struct Span {
    uint64_t from;
    uint64_t since;
    uint64_t by;

    // From one look to another.
    static Span Between(uint64_t from, uint64_t by);
    bool bound() const { return since == by && by != from; }
  };
  bool Tick(const Span& span, bool woken);
  void ListenToAccepted(bool listen);
  bool LoopKeepsUp(uint64_t now) const;
  void Note(const epoll_event* edges, int count, const Span& span);
  int NoteReadable(int* fds, int count, const Span& span);
  void NoteReady(int fd, const Span& span);

  const int epoll_fd_;
  const int accepted_fd_;  // another epoll: of the connections from clients
  const int stop_fd_;      // an eventfd: readable when the helper is to end
  const int64_t interval_ns_;
  const uint64_t interval_ticks_;
  const OnLook on_look_;
  // Zero pages until touched: 2 MB of addresses, not of memory.
  struct FreeSlots {
    void operator()(Slot* slots) const;
  };
  std::unique_ptr<Slot[], FreeSlots> slots_;
  uint32_t accepted_ = 0;  // slots that say so; the loop's own

  // When the loop woke from its last wait; 0: it did not sleep in it. And
  // where. Relaxed: it decides only whether and where the helper rests.
  static constexpr uint64_t kWaits = UINT64_MAX;
  std::atomic<uint64_t> loop_woke_{0};
  // When its turn began; and since when what it has not been told of before
  // came. The loop writes; relaxed as well.
  std::atomic<uint64_t> turn_began_{0};
  std::atomic<uint64_t> asked_since_{0};
  Evasion evasion_;
  std::atomic<uint64_t> looked_{0};  // the helper writes

  // Helper thread only.
  bool ticking_ = false;
  bool shares_ = false;  // what the loop could have: a processor, a quota
  int idle_ticks_ = 0;
  uint64_t last_turn_ = 0;      // turn_began_ at the last tick
  uint64_t last_accepted_ = 0;  // when the connections were looked at, ticks

  std::array<Listening, kMaxListening> listening_;

  HelperThread helper_;
};

}  // namespace edgewise
