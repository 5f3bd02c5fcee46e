#include "recorder/event_tracker.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "platform/segments.h"

namespace edgewise {
namespace {

// The first segment of a connection follows it at once.
constexpr double kApartNs = 100'000;

bool IsRead(EventType type) {
  return type == EventType::kTcpRead || type == EventType::kPipeRead ||
         type == EventType::kUdpRead;
}

bool IsOfSignal(EventType type) {
  return type == EventType::kSignal || type == EventType::kChild;
}

}  // namespace

EventTracker::EventTracker(Recorder* recorder, ReadyWatcher* watcher,
                           AsyncIds ids, SharedWords* words, VmEvents* vm,
                           OffCpu* off_cpu)
    : recorder_(recorder),
      watcher_(watcher),
      ids_(ids),
      words_(words),
      vm_(vm),
      off_cpu_(off_cpu),
      next_sequence_(FirstSequence(*words)) {
  words_->begun_request = SharedWords::kMustCall;
  words_->ended_request = SharedWords::kNoRequest;
  if (words_->next_request == 0) words_->next_request = 1;
}

void EventTracker::Attach(EventType type) {
  const uint64_t now = Ticks();
  open_.Begin(type, kNoFd, now, 0, ReadyKind::kNone);
  poll_ticks_ = last_check_ = this_check_ = now;
  phase_ = Phase::kAfterCheck;  // the timers' first pass precedes any wait
  Enter(ids_.execution());
  words_->begun_request = SharedWords::kMustCall;
}

// The id changed inside the event: a timer, tick or immediate runs, or native
// code has found the resource of an event that it began without one (accept).
void EventTracker::NoteId(uint64_t id) {
  if (!open_.entered || id == 0) return;
  PushSlice(0, id);
}

void EventTracker::EnterOther(uint64_t id, const EntrySigns& signs) {
  if (signs.timers_due_ns >= 0) {
    timers_ran_ = true;
    Open(EventType::kTimer, kNoFd, Ticks(), DueTicks(signs.timers_due_ns),
         ReadyKind::kDue);
  } else if (open_.entered) {
    if (AdoptsId(id)) {
      // Native code made an object first (a connection, a file system call's
      // error), now calls its handler.
      open_.async_id = slice_id_ = id;
      open_.bare = false;
      return;
    }
    // A scope without an id that no wake-up explains is the running event's.
    if (id == 0 && !after_check() && (!in_wakeup_ || open_.in_work)) return;
    OpenUnannounced(signs);
  } else if (phase_ == Phase::kAfterCheck ||
             open_.type == EventType::kUnknown) {
    OpenUnannounced(signs);
  }
  if (phase_ == Phase::kCheck) OpenImmediate(id);
  if (open_.type == EventType::kUnknown && id != 0) {
    open_.type = EventType::kWrite;
  }
  Enter(id);
}

bool EventTracker::AdoptsId(uint64_t id) const {
  return id != 0 && open_.bare && (open_.fd != kNoFd || open_.in_work);
}

// What was registered since the last check is due at the earliest since then; a
// loop that had anything due would not have slept.
uint64_t EventTracker::DueSince() const {
  return poll_waited_ && poll_ticks_ > last_check_ ? poll_ticks_ : last_check_;
}

void EventTracker::OpenUnannounced(const EntrySigns& signs) {
  const uint64_t now = Ticks();
  if (phase_ == Phase::kPoll) {
    OpenPolled(signs);
  } else if (phase_ == Phase::kCheck) {
    Open(EventType::kImmediate, kNoFd, now, DueSince(), ReadyKind::kDue);
  } else if (handles_close_ && !timers_ran_) {
    Open(EventType::kClose, kNoFd, now, DueSince(), ReadyKind::kDue);
  } else if (signs.native_due_ns >= 0) {
    Open(EventType::kTimer, kNoFd, now, DueTicks(signs.native_due_ns),
         ReadyKind::kDue);
  } else {
    // What was written in a timer's or an immediate's callback has completed.
    Open(EventType::kWrite, kNoFd, now, now, ReadyKind::kUpperBound);
  }
}

void EventTracker::OpenPolled(const EntrySigns& signs) {
  const bool goes_on = !open_.entered && open_.begin != 0;
  const uint64_t begin = goes_on ? open_.begin : Ticks();
  if (signs.polled_fd != kNoFd) {
    IoBegan(EventType::kPoll, signs.polled_fd,
            BeforeIo(signs.polled_fd, /*watched=*/true));
    open_.watched = watcher_ != nullptr;
    if (watcher_ != nullptr) watcher_->Consumed(open_.fd, Ticks());
  } else if (in_wakeup_ && !open_.in_work && !signs.files_may_write) {
    // One wake-up is for all that other threads have sent. What came first was
    // seen, if it is that; the rest came until the loop had read the wake-up.
    Open(EventType::kMessage, kNoFd, begin, wakeup_ticks_,
         ReadyKind::kUpperBound);
  } else if (open_.entered && IsOfSignal(open_.type)) {
    // One read brings all signals that have come; the loop takes them last.
    Open(open_.type, open_.fd, begin, open_.ready, open_.ready_kind);
    open_.SignalsRead(open_.children >> 1);
  } else if (open_.entered && IsRead(open_.type) && !signs.files_may_write) {
    // What was read had news for several: HTTP/2's streams, or the end of a
    // handshake and what came with it.
    const ReadOffsets offsets = open_.offsets;
    const uint64_t latest = open_.latest;
    Open(open_.type, open_.fd, begin, open_.ready, open_.ready_kind);
    open_.offsets = offsets;
    open_.latest = latest;
  } else if (open_.entered) {
    Open(EventType::kWrite, kNoFd, begin, 0, ReadyKind::kNone);
  } else {
    open_.begin = begin;
  }
}

void EventTracker::Enter(uint64_t id) {
  open_.entered = true;
  busy_since_.store(open_.begin, std::memory_order_relaxed);
  open_.async_id = id;
  open_.bare = id == 0 && (ids_.depth == nullptr || ids_.LeftScope());
  slice_sequence_ = next_sequence_++;
  slice_begin_ = open_.begin;
  slice_counter_ = open_.counter = ids_.counter();
  open_.sequence = slice_sequence_;
  if (const bool probed = RequestsProbed(); probed != probed_) [[unlikely]]
    NoteProbed(probed);
  words_->begun_request =
      probed_ ? SharedWords::kMustCall : SharedWords::kNoRequest;
  FindReady();
  if (EDGEWISE_PROBED(event__begin)) [[unlikely]]
    ProbeEventBegin(open_, recorder_->thread());
  if (open_.latest != 0) [[unlikely]]
    PushArrival();
  if (open_.in_work && work_.has_value()) [[unlikely]]
    PushWork(*work_);
  Publish();
}

void EventTracker::PushArrival() {
  recorder_->PushInner([&](Record& record) {
    record.ticks = open_.begin;
    record.kind = RecordKind::kArrival;
    record.ready_before =
        TicksBetween(std::min(open_.latest, open_.begin), open_.begin);
  });
}

void EventTracker::FindReady() {
  if (open_.ready_kind != ReadyKind::kNone) return;
  if (open_.type == EventType::kMain) return;
  // Seen by the watcher, or at the latest when the loop was told.
  const uint64_t told = poll_ticks_;
  uint64_t seen = open_.ready;
  // What the watcher was too late for is known to have come by then.
  bool unseen = false;
  if (open_.watched) {
    const uint64_t from =
        open_.seen_from != 0 ? open_.seen_from : watcher_->NothingUntil();
    const uint64_t by = seen != 0 ? seen : told;
    unseen = by > from && TickNs(by - from) > ReadyWatcher::kSureNs;
  }
  bool with_connection = false;
  uint64_t waits_ago = 0;
  if (watcher_ != nullptr && open_.fd != kNoFd) {
    const auto [poll, accepted, arrival] = watcher_->TakeAccepted(open_.fd);
    if (poll != 0) {
      open_.flags |= kFlagNewConnection;
      // The bytes were there at the first look after the accept: they waited
      // with their connection in the backlog.
      const bool before = seen != 0 && seen < accepted;
      if (poll + 1 == polls_ && (!poll_waited_ || before)) {
        waits_ago = 1;
        // Their stamp is of the last segment.
        with_connection = arrival.ticks != 0 &&
                          seen > arrival.ticks + NsToTicks(kApartNs) &&
                          !CameInOneSegment(open_.fd);
        if (with_connection) open_.latest = seen;
        if (seen == 0 || with_connection) seen = arrival.ticks;
        unseen = arrival.ticks == 0 || arrival.bound;
      }
    }
  }
  open_.ready = seen != 0 ? std::min(seen, told) : told;
  open_.ready_kind = with_connection ? ReadyKind::kLowerBound
                     : !unseen && (seen != 0 || poll_waited_ || open_.watched)
                         ? ReadyKind::kObserved
                         : ReadyKind::kUpperBound;
  if (off_cpu_ != nullptr && seen != 0 && off_cpu_->IsLate(seen, waits_ago))
    PushOffCpu(off_cpu_->TakeLate(seen));
}

void EventTracker::Close(uint64_t now) {
  if (!open_.entered) return;
  PushLeft();
  TakeOffCpu(open_.begin, now);
  if (off_cpu_ != nullptr && off_cpu_->IsLong(now - open_.begin)) [[unlikely]]
    PushFaults(/*soon=*/true);
  if (poll_waited_) open_.flags |= kFlagLoopSlept;
  recorder_->PushEvent(next_sequence_, [&](Record& record) {
    record.ticks = open_.begin;
    record.duration = TicksBetween(open_.begin, now);
    if (open_.ready_kind != ReadyKind::kNone && open_.ready < open_.begin) {
      record.ready_before = TicksBetween(open_.ready, open_.begin);
    }
    PutIds(record, open_.async_id, ids_.counter());
    record.kind = RecordKind::kEvent;
    record.type = static_cast<uint8_t>(open_.type);
    record.aux = EventAux(open_.ready_kind, open_.fd, open_.flags);
  });
  if (EDGEWISE_PROBED(event__end)) [[unlikely]]
    ProbeEventEnd(open_, now);
  open_.entered = false;
  // A promise that goes on before the next event began says so.
  StampPromises(next_sequence_);
}

void EventTracker::SliceFromPromise(uint64_t source, int64_t due_ns) {
  if (!open_.entered) return;
  const uint64_t distance = (next_sequence_ - source) & (kSequenceModulus - 1);
  PushSlice(distance, 0, due_ns >= 0 ? DueTicks(due_ns) : 0);
}

void EventTracker::SliceFromAsyncId(int64_t due_ns) {
  const uint64_t id = ids_.execution();
  if (!open_.entered || id == 0) return;
  PushSlice(0, id, due_ns >= 0 ? DueTicks(due_ns) : 0);
}

void EventTracker::PushBegun() {
  const uint32_t request =
      std::exchange(words_->begun_request, SharedWords::kMustCall);
  if (request == SharedWords::kNoRequest) return;
  // The first slice still runs: what comes next may have an earlier counter
  // than there is now.
  PushStart(request, RequestKind::kHttp1,
            {open_.begin, open_.async_id, slice_counter_},
            open_.offsets.received);
}

void EventTracker::PushSlice(uint64_t source_distance, uint64_t async_id,
                             uint64_t due) {
  const uint64_t begin = Ticks();
  PushLeft();
  RecordSlice(begin, source_distance, async_id, ids_.counter(), due);
  slice_counter_ = last_counter_;
  Publish();
}

void EventTracker::RecordSlice(uint64_t ticks, uint64_t source_distance,
                               uint64_t async_id, uint64_t counter,
                               uint64_t due) {
  recorder_->PushInner([&](Record& record) {
    record.ticks = ticks;
    record.kind = RecordKind::kSlice;
    if (due != 0 && due < ticks) record.ready_before = TicksBetween(due, ticks);
    record.aux = static_cast<uint32_t>(source_distance);
    PutIds(record, async_id, counter);
  });
  slice_begin_ = ticks;
  slice_sequence_ = next_sequence_++;
}

void EventTracker::Publish() {
  slice_id_ = ids_.execution();
  StampPromises(slice_sequence_);
  words_->execution_id = static_cast<double>(slice_id_);
  if (vm_ != nullptr) PublishToVm();
}

// What the main script and accepting a connection leave behind serves all
// requests: it belongs to none.
void EventTracker::PublishToVm() {
  const bool serves_all =
      open_.type == EventType::kMain || open_.type == EventType::kAccept;
  vm_->Publish(serves_all && !open_.has_request ? 0 : VmNumber(slice_sequence_),
               VmNumber(next_sequence_));
}

void EventTracker::Gc(GcType type, uint32_t depth, uint64_t begin,
                      uint64_t end) {
  words_->written = 0;
  // It comes after a request that began the event, and after one that has
  // ended; it says nothing of requests: one may still begin the event.
  if (words_->begun_request != SharedWords::kNoRequest || words_->HasEnded()) {
    PushLeft();
  }
  recorder_->PushInner([&](Record& record) {
    record.ticks = begin;
    record.duration = TicksBetween(begin, end);
    record.kind = RecordKind::kGc;
    record.type = static_cast<uint8_t>(type);
    record.aux = depth;
  });
}

uint32_t EventTracker::RequestStart(RequestKind kind, uint32_t stream) {
  PushLeft();
  // A second request in one event (pipelining) runs in a slice of its own.
  if (open_.has_request) PushSlice(0, 0);
  const uint32_t request = words_->next_request++;
  PushStart(request, kind, Now(),
            kind == RequestKind::kHttp2 ? stream : open_.offsets.received);
  if (vm_ != nullptr) PublishToVm();
  return request;
}

// `number`: bytes that its connection had received, or the stream's number.
void EventTracker::PushStart(uint32_t request, RequestKind kind,
                             const Moment& at, uint32_t number) {
  open_.has_request = true;
  recorder_->PushInner([&](Record& record) {
    record.kind = RecordKind::kRequestStart;
    record.duration = std::bit_cast<float>(number);
    record.ready_before = std::bit_cast<float>(open_.offsets.sent);
    record.type = static_cast<uint8_t>(kind);
    PutRequest(record, request, at);
  });
  if (EDGEWISE_PROBED(request__start)) [[unlikely]]
    ProbeRequestStart(request, kind);
  if (!latencies_wanted_ && !probed_) return;
  recent_requests_.Note(request, open_.ready != 0 ? open_.ready : open_.begin);
}

void EventTracker::RequestContext(uint32_t request,
                                  const TraceContext& context) {
  recorder_->PushInner(
      [&](Record& record) { PutTraceContext(context, request, &record); });
}

uint64_t EventTracker::RequestEnd(uint32_t request, uint32_t route,
                                  uint32_t status, Outcome outcome) {
  PushLeft();
  const Moment now = Now();
  PushEnd(now, request, route, status, outcome);
  return recent_requests_.LatencyOf(request, now.ticks);
}

void EventTracker::Accepted(int fd) {
  writes_.Forget(fd);
  if (watcher_ == nullptr) return;
  if (fd < 0) {
    watcher_->NoArrivals(open_.fd);
    return;
  }
  Arrival arrival = watcher_->TakeArrival(open_.fd);
  if (arrival.ticks != 0) {
    open_.ready = arrival.ticks;
    open_.seen_from = arrival.bound ? 1 : arrival.ticks;
  } else if (poll_waited_) {
    arrival.ticks = poll_ticks_;  // It woke the loop.
  }
  arrival.ticks = std::min(arrival.ticks, poll_ticks_);
  watcher_->SetAccepted(
      fd, {.poll = polls_, .ticks = open_.begin, .arrival = arrival});
}

}  // namespace edgewise
