#pragma once

#include <array>
#include <cstdint>

#include "platform/clock.h"
#include "recorder/ready_watcher.h"
#include "recorder/recorder.h"
#include "trace/record.h"

namespace edgewise {

// Node's live async-id fields. Null fields: unavailable, all ids read as 0.
struct AsyncIds {
  const double* fields = nullptr;  // {execution, trigger, counter, default}

  uint64_t execution() const {
    return fields != nullptr ? static_cast<uint64_t>(fields[0]) : 0;
  }
  uint64_t counter() const {
    return fields != nullptr ? static_cast<uint64_t>(fields[2]) : 0;
  }
};

// Two words that the promise hooks read from JavaScript, so that a promise is
// stamped without a call.
struct SharedWords {
  double execution_id;  // the async id that the current slice runs under
  double sequence;      // the current slice's number, modulo kSequenceModulus
};

// Turns what the loop does into records. It knows no V8 and no libuv: it is
// told of boundaries (something new is about to be handled) and of entries
// into JavaScript, and finds the events between them. Loop thread only.
//
// An event is opened at a boundary, becomes real when JavaScript is entered,
// and ends at the next boundary: the time between two waits of the loop has no
// gap that belongs to nobody. Of several entries under one id (the HTTP parser
// makes many per read, ticks follow with id 0), the first begins the event.
class EventTracker {
 public:
  // Numbers fit a small integer of every V8 on 31 bits.
  static constexpr uint64_t kSequenceModulus = uint64_t{1} << 30;

  // `watcher` may be null; `words` outlive the tracker. Requests are numbered
  // from `first_request`: a thread that records again goes on counting.
  EventTracker(Recorder* recorder, ReadyWatcher* watcher, AsyncIds ids,
               SharedWords* words, uint32_t first_request = 1)
      : recorder_(recorder),
        watcher_(watcher),
        ids_(ids),
        words_(words),
        next_request_(first_request) {}

  // Recording begins inside a running event (usually the main script).
  void Attach(EventType type);

  // Recording ends: closes the running event.
  void Detach() { Close(Ticks()); }

  // The loop is about to wait for I/O.
  void PollBegin();

  // The loop has `count` descriptors to handle. `waited`: it slept for them.
  void PollEnd(int count, bool waited);

  // The loop is about to read from (accept on) `fd`; and has done so.
  void IoBegin(EventType type, int fd) {
    // The watcher's time must be taken before the read makes it stale.
    const uint64_t seen = watcher_ != nullptr ? watcher_->ReadySince(fd) : 0;
    Open(type, fd, Ticks(), seen, ReadyKind::kNone);
  }
  void IoEnd(int fd) {
    if (watcher_ != nullptr) watcher_->Consumed(fd, Ticks());
  }
  // `fd` is a new connection that the running accept has brought; negative:
  // there was none (any more).
  void Accepted(int fd);

  // A thread-pool request's callback is about to run, and has run.
  void WorkBegin(EventType type, uint64_t ready) {
    Open(type, kNoFd, Ticks(), ready,
         ready != 0 ? ReadyKind::kObserved : ReadyKind::kNone);
  }

  // What is being handled turned out to be `type` (a signal: a child's end).
  void Refine(EventType type) { open_.type = type; }

  // The loop's check phase begins: immediates, then close callbacks, timers.
  void CheckBegin();

  // JavaScript is entered from the outside. `timers_due_ns()` answers whether
  // the loop has begun its timers: their due time (CLOCK_MONOTONIC), or -1.
  template <typename TimersDue>
  void EnterJs(TimersDue timers_due_ns) {
    const uint64_t id = ids_.execution();
    if (in_js_) {  // from JavaScript through C++: perhaps in a timer or tick
      if (id != slice_id_) NoteId(id);
      return;
    }
    in_js_ = true;
    if (open_.entered) {
      if (id == open_.async_id || id == slice_id_) return;
      if (id == 0 && (!after_check_ || open_.type == EventType::kTimer)) return;
    }
    EnterOther(id, after_check_ && id == 0 ? timers_due_ns() : -1);
  }
  void LeaveJs() { in_js_ = false; }

  // JavaScript that runs as a microtask, after the callback has left, was
  // entered from native code that it called. V8 announces such an entry, but
  // not its end: it must not count as in_js().
  void EnterMicrotask() {
    const uint64_t id = ids_.execution();
    if (!open_.entered) {
      EnterOther(id, -1);
    } else if (id != slice_id_) {
      NoteId(id);
    }
  }
  bool in_js() const { return in_js_; }
  bool after_check() const { return after_check_; }
  uint32_t next_request() const { return next_request_; }

  // A continuation registered in slice `source` (SharedWords::sequence at the
  // time) begins to run.
  void SliceFromPromise(uint64_t source);

  // A tick, timer or immediate inside the event begins to run, or rather was
  // noticed to run: the async id differs from the slice's.
  void SliceFromAsyncId();

  void Gc(GcType type, uint32_t depth, uint64_t begin, uint64_t end);

  // Returns the request's id, unique within the thread.
  uint32_t RequestStart(RequestKind kind);

  // `route`: an interned string. Returns the request's latency in ticks, from
  // its ready time; 0 if so many requests are open that its start is forgotten.
  uint64_t RequestEnd(uint32_t request, uint32_t route, uint32_t status,
                      Outcome outcome);

 private:
  struct OpenEvent {
    uint64_t begin = 0;
    uint64_t ready = 0;
    uint64_t async_id = 0;
    int32_t fd = kNoFd;
    uint32_t flags = 0;
    EventType type = EventType::kUnknown;
    ReadyKind ready_kind = ReadyKind::kNone;
    bool entered = false;      // JavaScript has run: it is an event
    bool has_request = false;  // it is the source of a request
  };

  void Open(EventType type, int fd, uint64_t now, uint64_t ready,
            ReadyKind kind) {
    if (open_.entered) Close(now);
    open_ = OpenEvent{};
    open_.type = type;
    open_.fd = fd;
    open_.begin = now;
    open_.ready = ready;
    open_.ready_kind = kind;
  }
  void Close(uint64_t now);
  void NoteId(uint64_t id);
  void EnterOther(uint64_t id, int64_t timers_due_ns);
  void Enter(uint64_t id);
  void FindReady();
  void PushSlice(uint64_t source_distance, uint64_t async_id);
  void Publish();

  Recorder* const recorder_;
  ReadyWatcher* const watcher_;
  const AsyncIds ids_;
  SharedWords* const words_;

  OpenEvent open_;
  bool in_js_ = false;
  bool after_check_ = false;  // between the check phase and the next wait
  bool poll_waited_ = false;  // the loop slept before the current batch
  uint64_t poll_ticks_ = 0;   // when the current batch's files were ready
  uint64_t polls_ = 0;        // waits of the loop so far
  uint64_t last_check_ = 0;   // begin of the check phase before this one
  uint64_t this_check_ = 0;
  uint64_t next_sequence_ = 1;   // of the next event or slice
  uint64_t slice_sequence_ = 0;  // of the running slice
  uint64_t slice_id_ = 0;        // the async id it runs under
  uint32_t next_request_;

  static constexpr uint32_t kRecentRequests = 4096;
  struct RecentRequest {
    uint32_t request;
    uint64_t ready;
  };
  std::array<RecentRequest, kRecentRequests> recent_requests_{};
};

}  // namespace edgewise
