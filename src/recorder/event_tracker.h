#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "platform/clock.h"
#include "platform/realtime.h"
#include "recorder/async_ids.h"
#include "recorder/awaited_ends.h"
#include "recorder/connections.h"
#include "recorder/last_writes.h"
#include "recorder/name_queries.h"
#include "recorder/off_cpu/off_cpu.h"
#include "recorder/open_event.h"
#include "recorder/probes.h"
#include "recorder/ready_watcher.h"
#include "recorder/recent_requests.h"
#include "recorder/recorder.h"
#include "recorder/shared_words.h"
#include "recorder/vm_events.h"
#include "trace/record.h"
#include "trace/trace_context.h"

namespace edgewise {

// Turns what the loop does into records. It knows no V8 and no libuv: it is
// told of boundaries (something new is about to be handled) and of entries
// into JavaScript, and finds the events between them. Loop thread only.
//
// An event is opened at a boundary, becomes real when JavaScript is entered,
// and ends at the next boundary: between two waits of the loop no time belongs
// to nobody. Of several entries under one id the first begins the event.
class EventTracker {
 public:
  // Fits a small integer of every V8 on 31 bits.
  static constexpr uint64_t kSequenceModulus = uint64_t{1} << 30;

  // A slice's number for a VmEvents, where 0 is none.
  static uint32_t VmNumber(uint64_t sequence) {
    return static_cast<uint32_t>((sequence - 1) & (kSequenceModulus - 1)) + 1;
  }

  // The number that the first event of a new recording takes.
  static uint64_t FirstSequence(const SharedWords& words) {
    return uint64_t{words.sequence} + 1;
  }

  // `watcher`, `vm` and `off_cpu` may be null; `words` outlive the tracker: a
  // thread that records again goes on counting its requests and its slices,
  // whose numbers the program's objects may still hold.
  EventTracker(Recorder* recorder, ReadyWatcher* watcher, AsyncIds ids,
               SharedWords* words, VmEvents* vm = nullptr,
               OffCpu* off_cpu = nullptr);

  // From now on RequestEnd() is called for each request, and tells its latency.
  void WantLatencies();

  // Recording begins inside a running event (usually the main script).
  void Attach(EventType type);

  // Recording ends: closes the running event.
  void Detach();

  // The loop is about to wait for I/O.
  [[gnu::hot]] void PollBegin(uint64_t now);

  // It was told what is ready. Whether it has slept; `waited`: it seems so.
  [[gnu::hot]] bool PollEnd(bool waited, uint64_t now);

  // When a read began, and since when the watcher, if it watches, had seen `fd`
  // ready: 0 if it had not. The read makes that stale.
  struct IoMoment {
    uint64_t ticks = 0;
    ReadyWatcher::Readiness seen;
    bool watched = false;
  };
  IoMoment BeforeIo(int fd, bool watched) const {
    const bool ask = watched && watcher_ != nullptr;
    return {Ticks(), ask ? watcher_->ReadySince(fd) : ReadyWatcher::Readiness{},
            ask};
  }

  // The loop is about to read from (accept on) `fd`, which the watcher may see;
  // or it has, and `at` was BeforeIo().
  void IoBegin(EventType type, int fd, bool watched) {
    IoBegan(type, fd, BeforeIo(fd, watched));
  }
  void IoBegan(EventType type, int fd, const IoMoment& at) {
    Open(type, fd, at.ticks, at.seen.since, ReadyKind::kNone);
    open_.seen_from = at.seen.from;
    open_.seen_by = at.seen.by;
    // The kernel stamps TCP's.
    if (type == EventType::kPipeRead && at.seen.latest > at.seen.since) {
      open_.latest = at.seen.latest;
    }
    open_.watched = at.watched;
    in_wakeup_ = type == EventType::kMessage;
    if (in_wakeup_) wakeup_ticks_ = at.ticks;
  }
  // It has. The kernel's stamp of what it got (CLOCK_REALTIME), 0: none.
  void IoEnd(int64_t arrival_realtime_ns, ReadOffsets offsets = {}) {
    open_.offsets = offsets;
    if (open_.watched) watcher_->Consumed(open_.fd, Ticks());
    if (arrival_realtime_ns == 0) return;
    const uint64_t arrival =
        realtime_.TicksAt(arrival_realtime_ns, open_.begin);
    // The kernel's stamp is of the last segment. One that came after what the
    // watcher has seen is not of the first; any other is right to a
    // microsecond.
    if (open_.ready == 0 || (arrival != 0 && arrival <= open_.seen_by)) {
      open_.ready = arrival;
    } else {
      open_.latest = arrival;
    }
  }

  // Something was sent by a resolver, or received on one of its sockets by the
  // read that is the open boundary; negative `bytes`: that has failed.
  void NameSent(int fd, bool stream, const uint8_t* data, size_t bytes) {
    names_.Sent(fd, stream, data, bytes, ids_.counter());
  }
  void NameReceived(int fd, const uint8_t* data, ssize_t bytes);
  const NameQueries& names() const { return names_; }

  bool in_event() const { return open_.entered; }
  // Whether the running event is the source of a request.
  bool serves_request() const {
    return open_.has_request || words_->HasBegun();
  }
  uint64_t slice_begin() const { return slice_begin_; }  // ticks
  // Since when the event has run, ticks; 0: the loop waits. Any thread.
  uint64_t busy_since() const {
    return busy_since_.load(std::memory_order_relaxed);
  }

  // A timer of libuv's own, not Node's, has run; it was due then.
  void NativeTimerRan(int64_t due_ns);

  // The wake-up that is being read was written `count` times: what each was for
  // came at the latest with the last.
  void WokenBy(uint64_t count);

  // `fd` is a new connection that the running accept has brought; negative:
  // there was none (any more).
  void Accepted(int fd);
  // `connection` has begun on descriptor `fd`; `peer`: an interned string, 0:
  // not known.
  void ConnectionBegan(const Connection& connection, int fd, uint32_t peer);
  void ConnectionAt(const Connection& connection, AddressSide side,
                    const SocketAddress& address);
  // Bytes were handed to the kernel for a connection that the thread has
  // opened. Whether that is to be recorded: PushQuestion() follows then.
  bool Asks(const Connection& connection);
  // `operation`: an interned string, 0: not known.
  void PushQuestion(Connection* connection, uint32_t operation);

  // A child process began, or a pipe to it (`number`, `fd`); `id`: of its
  // handle; `program`: an interned string.
  void ChildBegan(uint32_t number, int fd, uint64_t id, uint32_t program);

  // What else a use of a connection tells. `id`: else of what executes.
  struct Use {
    UseKind kind = UseKind::kQuestion;
    uint32_t connection = 0, number = 0, other = 0;
    std::optional<uint64_t> id;
  };
  void PushUse(const Use& use);
  void ConnectionEnded(const Connection& connection);

  // It has handed `bytes` to the kernel, on `fd`. Returns the longest latency
  // of the requests that end with that, as RequestEnd() does.
  [[gnu::hot]] uint64_t Wrote(int fd, uint64_t bytes);

  // A thread-pool request's callback is about to run. `stamped`: the pool has
  // said when it was ready. `work`: what else is known of it.
  void WorkBegin(EventType type, uint64_t ready, bool stamped = false,
                 const std::optional<Work>& work = std::nullopt);
  void WorkEnd();

  void SignalsRead(int64_t children) { open_.SignalsRead(children); }

  // The loop's check phase begins: immediates.
  void CheckBegin();
  // It ends; close callbacks, if there are any, and timers follow.
  void CheckEnd(bool handles_close);

  // Native code enters JavaScript. `loop` answers what is asked only when an
  // entry is no plain continuation of the running event:
  //   int64_t TimersDueNs()  whether the loop has begun its timers: their due
  //                          time (CLOCK_MONOTONIC), or -1
  //   int64_t NativeTimerDueNs()  the same of a timer that is not Node's
  //   bool NativeTimerBegan()  whether one has since that was asked last
  //   bool InJavaScript()    whether JavaScript called the native code
  //   bool FilesMayWrite(since_fd)  whether the loop may have written to a file
  //                          that it was told of, since it read that one
  //   int PolledFd()         the file that the loop was told of, and that an
  //                          addon reads itself (uv_poll_t); kNoFd: none or
  //                          several
  template <typename Loop>
  void EnterJs(Loop& loop) {
    const uint64_t id = ids_.execution();
    if (open_.entered) [[likely]] {
      if (id == 0 ? GoesOn(loop) : id == open_.async_id || id == slice_id_)
        return;
    }
    EnterUnlike(id, loop);
  }

  // V8 has resolved a promise itself and runs what waited for it, without an
  // entry: a task of its platform.
  template <typename Loop>
  void EnterContinuation(Loop& loop);

  // A continuation registered in slice `source` (SharedWords::sequence at the
  // time) begins to run. `due_ns`: of one that has waited for a timer,
  // CLOCK_MONOTONIC; -1: not known, or it has not.
  void SliceFromPromise(uint64_t source, int64_t due_ns = -1);

  // A tick, timer or immediate inside the event was noticed to run: the async
  // id differs from the slice's. `due_ns`: of a timer, as above.
  void SliceFromAsyncId(int64_t due_ns = -1);

  // Timer, immediate or tick `id` begins to run: a slice, unless the running
  // one has registered it.
  void PartBegin(uint64_t id);

  void Gc(GcType type, uint32_t depth, uint64_t begin, uint64_t end);

  // For VmEvents::Take() only. `number` and `source` are VmNumber()s; `counter`
  // is what the async-id counter was (its low half), 0: not known.

  // A continuation that slice `source` registered has begun as slice `number`.
  void SliceFromVm(uint64_t ticks, uint32_t number, uint32_t source,
                   uint32_t counter);
  // A function of slice `source` was called in slice `number`.
  void EdgeFromVm(uint64_t ticks, uint32_t number, uint32_t source,
                  EdgeKind kind, uint32_t counter);
  void GcFromVm(GcType type, uint64_t begin, uint64_t end, uint32_t reason,
                uint64_t safepoint_ticks);
  // Spent since the last call.
  void TimesFromVm(uint64_t jit_ticks, uint64_t ic_ticks);
  // The machine will number the next slice so: any before it were lost.
  void NumbersFromVm(uint32_t next);

  // Its id, unique within the thread. `stream`: of HTTP/2; 0: not known.
  uint32_t RequestStart(RequestKind kind, uint32_t stream = 0);
  void RequestContext(uint32_t request, const TraceContext& context);

  // `route`: an interned string. Returns the latency from the ready time, in
  // ticks; 0: nobody wants it, or its start is forgotten (RecentRequests).
  uint64_t RequestEnd(uint32_t request, uint32_t route, uint32_t status,
                      Outcome outcome);
  // The same of a request that is finished, and ended with the last write on
  // `fd`, a connection: long ago, perhaps.
  uint64_t RequestEndWritten(uint32_t request, uint32_t route, uint32_t status,
                             int fd);
  // ... and ends with the next write on `fd`.
  uint64_t RequestEndAwaited(uint32_t request, uint32_t route, uint32_t status,
                             int fd);
  // There will be none. No effect if it has come.
  void RequestEndLost(uint32_t request);

 private:
  Moment Now() const { return {Ticks(), ids_.execution(), ids_.counter()}; }
  void Open(EventType type, int fd, uint64_t now, uint64_t ready,
            ReadyKind kind) {
    if (open_.entered) Close(now);
    open_.Begin(type, fd, now, ready, kind);
  }
  [[gnu::hot]] void Close(uint64_t now);
  void PushOffCpu(std::span<const OffCpu::Stretch> stretches);
  void PushFaults(bool soon);
  void TakeOffCpu(uint64_t begin, uint64_t end) {
    if (off_cpu_ != nullptr && off_cpu_->moved()) [[unlikely]]
      PushOffCpu(off_cpu_->Take(begin, end));
  }
  void NoteId(uint64_t id);
  [[gnu::cold]] void NoteProbed(bool probed);
  // Of an entry under id 0: the event's ticks, or timers and immediates.
  bool IsTick() const {
    if (ids_.depth != nullptr) return ids_.LeftScope();
    return open_.async_id == 0 || !after_check() ||
           open_.type == EventType::kTimer;
  }
  template <typename Loop>
  bool GoesOn(const Loop& loop) const {
    return IsTick() && !(after_check() && loop.NativeTimerBegan());
  }
  // Apart from EnterJs(), which runs several times a request.
  template <typename Loop>
  [[gnu::noinline, gnu::hot]] void EnterUnlike(uint64_t id, Loop& loop);
  template <typename Loop>
  EntrySigns SignsOf(uint64_t id, Loop& loop) const;
  // While the loop polls: no boundary tells what JavaScript is entered for.
  bool IsUnannounced() const {
    return open_.entered || open_.type == EventType::kUnknown;
  }
  [[gnu::hot]] void EnterOther(uint64_t id, const EntrySigns& signs);
  // An event that no boundary has announced, by what the loop is doing.
  void OpenUnannounced(const EntrySigns& signs);
  void OpenPolled(const EntrySigns& signs);
  void OpenImmediate(uint64_t id);
  bool AdoptsId(uint64_t id) const;
  NameQueries::Readiness Told() const;
  uint64_t DueSince() const;
  static uint64_t DueTicks(int64_t due_ns);
  [[gnu::hot]] void Enter(uint64_t id);
  [[gnu::hot]] void FindReady();
  void PushArrival();
  void PushWork(const Work& work);
  [[gnu::hot]] void PushStart(uint32_t request, RequestKind kind,
                              const Moment& at, uint32_t number);
  [[gnu::hot]] void PushBegun();
  [[gnu::hot]] void PushEnded();
  [[gnu::hot]] void PushEnd(const Moment& at, uint32_t request, uint32_t route,
                            uint32_t status, Outcome outcome,
                            uint64_t left = 0);
  [[gnu::hot]] void NoteWrite(int fd);
  uint64_t EndAwaited(int fd);
  void PushWritten(const WriteMoment& write);
  void PushLeft() {
    words_->written = 0;
    if (vm_ != nullptr) vm_->Take(this);
    PushLeftBefore(UINT64_MAX);
  }
  void PushLeftBefore(uint64_t ticks) {
    const bool may_begin = words_->begun_request != SharedWords::kMustCall;
    if (may_begin && open_.begin <= ticks) PushBegun();
    if (words_->HasEnded() && written_.ticks <= ticks) PushEnded();
  }
  void StampPromises(uint64_t sequence) {
    words_->sequence = static_cast<uint32_t>(sequence & (kSequenceModulus - 1));
  }
  // `due`: of a timer's slice, ticks; 0: ready with its event, or its source.
  [[gnu::hot]] void PushSlice(uint64_t source_distance, uint64_t async_id,
                              uint64_t due = 0);
  [[gnu::hot]] void RecordSlice(uint64_t ticks, uint64_t source_distance,
                                uint64_t async_id, uint64_t counter,
                                uint64_t due = 0);
  void PushVmSlice(uint64_t ticks, uint64_t source_distance, uint64_t counter);
  void PushLostSlices(uint64_t ticks, uint32_t number);
  uint64_t CounterFromVm(uint32_t counter) const;
  void PutIds(Record& record, uint64_t async_id, uint64_t counter) {
    last_counter_ = counter;
    SetIds(record, async_id & kIdMask, counter & kIdMask);
  }
  void FollowTick();
  void PushConnection(uint32_t number, ConnectionRole role, int fd,
                      uint32_t peer, uint64_t id);
  void PutRequest(Record& record, uint32_t request, const Moment& at) {
    record.ticks = at.ticks;
    record.aux = request;
    PutIds(record, at.execution_id, at.counter);
  }
  [[gnu::hot]] void Publish();
  void PublishToVm();

  Recorder* const recorder_;
  ReadyWatcher* const watcher_;
  const AsyncIds ids_;
  SharedWords* const words_;
  VmEvents* const vm_;
  OffCpu* const off_cpu_;
  OpenEvent open_;
  std::atomic<uint64_t> busy_since_{0};
  std::optional<Work> work_;  // whose end it is, where it is in_work
  Moment written_;            // the last write
  LastWrites writes_;
  AwaitedEnds awaited_;
  RealtimeToTicks realtime_;
  NameQueries names_;
  enum class Phase : uint8_t { kPoll, kCheck, kAfterCheck };
  bool after_check() const { return phase_ != Phase::kPoll; }
  Phase phase_ = Phase::kPoll;
  bool handles_close_ = false;  // there are close callbacks to run
  bool timers_ran_ = false;     // since the check phase
  bool in_wakeup_ = false;     // what was read last is another thread's wake-up
  uint64_t wakeup_ticks_ = 0;  // when the wake-up was read
  bool poll_waited_ = false;   // the loop slept before the current batch
  uint64_t poll_ticks_ = 0;    // when the current batch's files were ready
  uint64_t polls_ = 0;         // waits of the loop so far
  uint64_t last_check_ = 0;    // begin of the check phase before this one
  uint64_t this_check_ = 0;
  uint64_t next_sequence_;       // of the next event or slice
  uint64_t slice_sequence_ = 0;  // of the running slice
  uint64_t slice_begin_ = 0;
  uint64_t slice_id_ = 0;       // the async id it runs under
  uint64_t slice_counter_ = 0;  // at its begin; kUnknownCounter: V8 only knows
  uint64_t last_counter_ = 0;   // of the last record: they never go backward
  static constexpr uint64_t kUnknownCounter = UINT64_MAX;
  bool latencies_wanted_ = false;
  bool probed_ = false;  // RequestsProbed(), as the running event began
  RecentRequests recent_requests_;
};

}  // namespace edgewise

#include "recorder/event_tracker_enter.h"
