#pragma once

#include <cstdint>

namespace edgewise {

enum class SignalKind : uint8_t {
  kLoopBusy,     // the loop's wait has returned; `value`: ready events;
                 // `arrival_ns`: now if it waited for them, else 0
  kLoopIdle,     // the loop is about to wait: nothing is left of the batch
  kEventBegin,   // the next event of the batch begins; ends the one before
  kQueueLength,  // `value`: events that are ready and have not begun, by a look
  kGcBegin,      // the outermost collection of the thread; `value`: GcKind
  kGcEnd,        // and its end
  kRequestBegin,  // `request`, `route`; `arrival_ns`: when its bytes came, 0 if
                  // that is only known to be since the loop's last wait
  kRequestEnd,    // `request`
  kDeadline,      // the time that next_deadline_ns() named has come
  kNotRun,        // the loop's thread did not run for `value` µs of the event
                  // that runs, and does so again
  kSignalsLost,   // some were dropped: a request may have ended unnoticed
};

// What a collection does; the same numbers as V8's GCType.
enum class GcKind : uint32_t {
  kScavenge = 1,
  kMinorMarkSweep = 2,
  kMarkSweepCompact = 4,
  kIncrementalMarking = 8,
  kWeakCallbacks = 16,
};

// Something that happened on an event loop, as policies take it.
struct Signal {
  SignalKind kind;
  uint32_t value = 0;
  uint32_t route = 0;      // kRequestBegin: a small number, 0: unknown
  uint32_t request = 0;    // kRequestBegin, kRequestEnd: its number, not 0
  int64_t now_ns = 0;      // when, on a monotonic clock
  int64_t arrival_ns = 0;  // kLoopBusy, kRequestBegin
};

}  // namespace edgewise
