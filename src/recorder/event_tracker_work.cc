// The part of the event tracker that is told of work that was done elsewhere:
// by libuv's pool, by the kernel's ring.

#include <bit>
#include <optional>

#include "recorder/event_tracker.h"

namespace edgewise {

void EventTracker::WorkBegin(EventType type, uint64_t ready, bool stamped,
                             const std::optional<Work>& work) {
  Open(type, kNoFd, Ticks(), ready,
       stamped      ? ReadyKind::kCompleted
       : ready != 0 ? ReadyKind::kObserved
                    : ReadyKind::kNone);
  open_.in_work = true;
  work_ = work;
}

void EventTracker::WorkEnd() {
  open_.in_work = false;
  // JavaScript that is entered now is none of it.
  if (!open_.entered) open_.type = EventType::kUnknown;
}

void EventTracker::PushWork(const Work& work) {
  recorder_->PushInner([&](Record& record) {
    record.ticks = open_.begin;
    record.kind = RecordKind::kWork;
    record.type = static_cast<uint8_t>(work.place);
    record.duration = std::bit_cast<float>(work.name);
    if (work.taken != 0 && work.taken < open_.begin) {
      record.ready_before = TicksBetween(work.taken, open_.begin);
    }
    record.aux = work.threads;
  });
}

}  // namespace edgewise
