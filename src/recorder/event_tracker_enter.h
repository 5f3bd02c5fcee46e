#pragma once

// The part of the tracker that asks the loop what an entry into JavaScript is.
// event_tracker.h includes it.

#include <cstdint>

#include "recorder/event_tracker.h"

namespace edgewise {

template <typename Loop>
EntrySigns EventTracker::SignsOf(uint64_t id, Loop& loop) const {
  EntrySigns signs;
  if (after_check()) {
    if (id == 0) signs.timers_due_ns = loop.TimersDueNs();
    signs.native_due_ns = loop.NativeTimerDueNs();
  } else if (IsUnannounced()) {
    signs.files_may_write = loop.FilesMayWrite(open_.fd);
    if (!in_wakeup_ || signs.files_may_write) {
      signs.polled_fd = loop.PolledFd();
    }
  }
  return signs;
}

template <typename Loop>
void EventTracker::EnterUnlike(uint64_t id, Loop& loop) {
  if (open_.entered && (id != 0 || ids_.depth != nullptr) &&
      loop.InJavaScript()) {
    return NoteId(id);
  }
  EnterOther(id, SignsOf(id, loop));
}

template <typename Loop>
void EventTracker::EnterContinuation(Loop& loop) {
  if (open_.entered && !(after_check() && loop.NativeTimerBegan())) return;
  EnterOther(0, SignsOf(0, loop));
}

}  // namespace edgewise
