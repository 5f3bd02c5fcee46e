// The part of the event tracker that is told what the loop does: its waits, its
// phases, and when its thread did not run.

#include <algorithm>

#include "platform/clock.h"
#include "recorder/event_tracker.h"

namespace edgewise {

void EventTracker::PollBegin(uint64_t now) {
  if (open_.entered) Close(now);
  TakeOffCpu(open_.begin, now);
  open_.Begin(EventType::kUnknown, kNoFd, 0, 0, ReadyKind::kNone);
  busy_since_.store(0, std::memory_order_relaxed);
  phase_ = Phase::kPoll;
  in_wakeup_ = false;
  poll_ticks_ = now;
}

bool EventTracker::PollEnd(bool waited, uint64_t now) {
  ++polls_;
  uint64_t woken = now;
  if (off_cpu_ != nullptr && (waited || off_cpu_->moved())) {
    const OffCpu::Wait wait = off_cpu_->TakeWait(poll_ticks_, now);
    PushOffCpu(wait.stretches);
    waited = wait.slept;
    woken = wait.woken;
  } else if (off_cpu_ != nullptr) {
    off_cpu_->NoWait();
  }
  poll_waited_ = waited;
  // Without a wait the files were ready before the loop asked.
  if (waited) poll_ticks_ = woken;
  Open(EventType::kUnknown, kNoFd, now, 0, ReadyKind::kNone);
  return waited;
}

void EventTracker::PushOffCpu(std::span<const OffCpu::Stretch> stretches) {
  for (const OffCpu::Stretch& stretch : stretches) {
    recorder_->PushInner([&](Record& record) {
      record.ticks = stretch.begin;
      record.duration = TicksBetween(stretch.begin, stretch.end);
      record.kind = RecordKind::kOffCpu;
      record.type = static_cast<uint8_t>(stretch.kind);
      record.aux = static_cast<uint32_t>(off_cpu_->TakeLost());
    });
  }
  const auto quota = off_cpu_->TakeQuota();
  if (!quota.has_value()) return;
  recorder_->PushInner([&](Record& record) {
    record.ticks = Ticks();
    record.duration =
        static_cast<float>(NsToTicks(static_cast<double>(quota->ns)));
    record.kind = RecordKind::kQuota;
    record.aux = static_cast<uint32_t>(quota->periods);
    SetIds(record, quota->throttled, 0);
  });
}

void EventTracker::PushFaults(bool soon) {
  const std::optional<OffCpu::Faults> faults = off_cpu_->TakeFaults(soon);
  if (!faults.has_value()) return;
  recorder_->PushInner([&](Record& record) {
    record.ticks = Ticks();
    record.kind = RecordKind::kFaults;
    record.aux = faults->minor;
    SetIds(record, faults->major, 0);
  });
}

void EventTracker::Detach() {
  if (off_cpu_ != nullptr) {
    off_cpu_->ReadQuota();
    PushOffCpu(off_cpu_->Take(open_.begin, Ticks()));
    PushFaults(/*soon=*/false);
  }
  Close(Ticks());
  StampPromises(next_sequence_ - 1);  // A new recording counts on from here.
}

void EventTracker::WokenBy(uint64_t count) {
  if (count <= 1) return;
  const uint64_t latest =
      watcher_ != nullptr ? watcher_->ReadySince(open_.fd).latest : 0;
  if (latest != 0 && latest < open_.begin) wakeup_ticks_ = latest;
  open_.ready = wakeup_ticks_;
  open_.ready_kind = ReadyKind::kUpperBound;
}

void EventTracker::CheckBegin() {
  const uint64_t now = Ticks();
  last_check_ = this_check_;
  this_check_ = now;
  phase_ = Phase::kCheck;
  timers_ran_ = in_wakeup_ = false;
  // An immediate runs at the first check after it was registered.
  Open(EventType::kImmediate, kNoFd, now, DueSince(), ReadyKind::kDue);
}

void EventTracker::CheckEnd(bool handles_close) {
  phase_ = Phase::kAfterCheck;
  handles_close_ = handles_close;
  names_.Settle();
}

uint64_t EventTracker::DueTicks(int64_t due_ns) {
  const double late_ns =
      static_cast<double>(std::max<int64_t>(0, MonotonicNs() - due_ns));
  return Ticks() - NsToTicks(late_ns);
}

}  // namespace edgewise
