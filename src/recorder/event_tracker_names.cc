// The part of the tracker that follows a resolver's questions: its answers run
// in native immediates.

#include <algorithm>

#include "recorder/event_tracker.h"

namespace edgewise {

// Native code has its immediates, too; a resolver's callbacks are among them.
void EventTracker::OpenImmediate(uint64_t id) {
  NameQueries::Readiness ready;
  if (!names_.Take(id, &ready)) return;
  open_.type = EventType::kDns;
  if (ready.kind == ReadyKind::kNone) return;  // cancelled
  open_.ready = ready.ticks;
  open_.ready_kind = ready.kind;
}

void EventTracker::NameReceived(int fd, const uint8_t* data, ssize_t bytes) {
  if (bytes > 0) {
    names_.Received(fd, data, static_cast<size_t>(bytes), Told());
  } else {
    names_.Failed(fd, Told());
  }
}

void EventTracker::NativeTimerRan(int64_t due_ns) {
  names_.TimerRan({DueTicks(due_ns), ReadyKind::kDue});
}

// When the open boundary was ready, as far as the kernel, the watcher or the
// loop's own wait tell.
NameQueries::Readiness EventTracker::Told() const {
  const bool observed = open_.ready != 0 || poll_waited_ || open_.watched;
  return {open_.ready != 0 ? std::min(open_.ready, poll_ticks_) : poll_ticks_,
          observed ? ReadyKind::kObserved : ReadyKind::kUpperBound};
}

}  // namespace edgewise
