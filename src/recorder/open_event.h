#pragma once

#include <cstdint>

#include "trace/record.h"

namespace edgewise {

inline float TicksBetween(uint64_t begin, uint64_t end) {
  // Through int64_t: one instruction, and no time is that long.
  return static_cast<float>(static_cast<int64_t>(end - begin));
}

// What the loop says of an entry that no boundary has announced.
struct EntrySigns {
  int64_t timers_due_ns = -1;
  int64_t native_due_ns = -1;
  bool files_may_write = false;
  int polled_fd = kNoFd;
};

// What is known of work that was done for the loop, where an event begins with
// its end.
struct Work {
  uint64_t taken = 0;    // ticks: a thread of the pool took it up; 0: not known
  uint32_t name = 0;     // a string id: what it is about; 0: not known
  uint32_t threads = 0;  // that the pool has, as far as seen; 0: not known
  WorkPlace place = WorkPlace::kPool;
};

// How far a connection had come before what an event has read of it, modulo
// 2^32 bytes.
struct ReadOffsets {
  uint32_t received = kUnknownOffset;
  uint32_t sent = kUnknownOffset;
};

// When something was done, and for whom.
struct Moment {
  uint64_t ticks = 0;
  uint64_t execution_id = 0;
  uint64_t counter = 0;
};

// The event that is open in the EventTracker.
struct OpenEvent {
  uint64_t begin = 0;
  uint64_t ready = 0;
  uint64_t seen_from = 0;  // the watcher: not before, 0 if it has seen nothing
  uint64_t seen_by = 0;    // and surely by
  uint64_t latest = 0;     // of several parts the last one came
  uint64_t async_id = 0;
  uint64_t sequence = 0;  // its number, once JavaScript has run
  uint64_t counter = 0;   // of async ids, where JavaScript was entered
  // Signals that were read. Bit i: the i-th is of a child's end; the bits
  // beyond the last are as the last.
  int64_t children = 0;
  int32_t fd = kNoFd;
  uint32_t flags = 0;
  ReadOffsets offsets;  // of the connection that was read
  EventType type = EventType::kUnknown;
  ReadyKind ready_kind = ReadyKind::kNone;
  bool watched = false;      // by the watcher, if it became ready
  bool entered = false;      // JavaScript has run: it is an event
  bool has_request = false;  // it is the source of a request
  bool in_work = false;      // in a thread-pool request's callback
  bool bare = false;         // it has entered JavaScript without a scope

  void SignalsRead(int64_t of_children) {
    children = of_children;
    type = (children & 1) != 0 ? EventType::kChild : EventType::kSignal;
  }

  // Field by field: a whole event assigned would be put together elsewhere,
  // and its copy would wait for the narrower stores.
  void Begin(EventType of_type, int of_fd, uint64_t now, uint64_t ready_since,
             ReadyKind kind) {
    begin = now;
    latest = 0;
    ready = ready_since;
    seen_from = 0;
    async_id = 0;
    fd = of_fd;
    flags = 0;
    offsets = {};
    type = of_type;
    ready_kind = kind;
    watched = entered = has_request = in_work = bare = false;
  }
};

}  // namespace edgewise
