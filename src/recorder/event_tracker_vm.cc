// The part of the event tracker that only a patched Node uses: what the virtual
// machine has noticed by itself.

#include "recorder/event_tracker.h"

namespace edgewise {
namespace {

constexpr uint32_t kNumberMask =
    static_cast<uint32_t>(EventTracker::kSequenceModulus - 1);

// More numbers than this are not lost at once: it is an old number.
constexpr uint32_t kMaxLost = 1 << 24;

}  // namespace

void EventTracker::PartBegin(uint64_t id) {
  if (!open_.entered) return;
  PushLeft();  // Which slice runs?
  if (id == slice_id_ || id > slice_counter_) return;
  PushSlice(0, id);
  // Node makes it the executing one only after this call.
  slice_id_ = id;
  words_->execution_id = static_cast<double>(id);
}

void EventTracker::SliceFromVm(uint64_t ticks, uint32_t number, uint32_t source,
                               uint32_t counter) {
  const auto lost =
      (number - static_cast<uint32_t>(next_sequence_)) & kNumberMask;
  if (!open_.entered || lost > kMaxLost) return;
  PushLeftBefore(ticks);
  PushLostSlices(ticks, number);
  PushVmSlice(ticks, (number - source) & kNumberMask, CounterFromVm(counter));
  slice_counter_ = counter != 0 ? last_counter_ : kUnknownCounter;
}

void EventTracker::NumbersFromVm(uint32_t next) {
  const auto lost =
      (next - static_cast<uint32_t>(next_sequence_)) & kNumberMask;
  if (!open_.entered || lost > kMaxLost) return;
  if (lost == 0) return;
  const uint64_t now = Ticks();
  PushLeftBefore(now);
  PushLostSlices(now, next);
}

// Their cause is lost, not their place in the numbering.
void EventTracker::PushLostSlices(uint64_t ticks, uint32_t number) {
  while (((number - static_cast<uint32_t>(next_sequence_)) & kNumberMask) !=
         0) {
    PushVmSlice(ticks, /*source_distance=*/0, last_counter_);
    slice_counter_ = kUnknownCounter;
  }
}

void EventTracker::PushVmSlice(uint64_t ticks, uint64_t source_distance,
                               uint64_t counter) {
  RecordSlice(ticks, source_distance, /*async_id=*/0, counter);
  StampPromises(slice_sequence_);
}

void EventTracker::EdgeFromVm(uint64_t ticks, uint32_t number, uint32_t source,
                              EdgeKind kind, uint32_t counter) {
  const bool runs =
      ((number - static_cast<uint32_t>(slice_sequence_)) & kNumberMask) == 0;
  if (!open_.entered || !runs) return;
  PushLeftBefore(ticks);
  recorder_->PushInner([&](Record& record) {
    record.ticks = ticks;
    record.kind = RecordKind::kEdge;
    record.type = static_cast<uint8_t>(kind);
    record.aux = (number - source) & kNumberMask;
    PutIds(record, 0, CounterFromVm(counter));
  });
}

void EventTracker::GcFromVm(GcType type, uint64_t begin, uint64_t end,
                            uint32_t reason, uint64_t safepoint_ticks) {
  PushLeftBefore(begin);
  recorder_->PushInner([&](Record& record) {
    record.ticks = begin;
    record.duration = static_cast<float>(end - begin);
    record.ready_before = static_cast<float>(safepoint_ticks);
    record.kind = RecordKind::kGc;
    record.type = static_cast<uint8_t>(type);
    record.id_lo = reason;
  });
}

void EventTracker::TimesFromVm(uint64_t jit_ticks, uint64_t ic_ticks) {
  if (!open_.entered || (jit_ticks == 0 && ic_ticks == 0)) return;
  const uint64_t now = Ticks();
  PushLeftBefore(now);
  recorder_->PushInner([&](Record& record) {
    record.ticks = now;
    record.kind = RecordKind::kTimes;
    record.duration = static_cast<float>(jit_ticks);
    record.ready_before = static_cast<float>(ic_ticks);
  });
}

uint64_t EventTracker::CounterFromVm(uint32_t counter) const {
  const auto ahead =
      static_cast<int32_t>(counter - static_cast<uint32_t>(last_counter_));
  return last_counter_ + (counter != 0 && ahead > 0 ? ahead : 0);
}

}  // namespace edgewise
