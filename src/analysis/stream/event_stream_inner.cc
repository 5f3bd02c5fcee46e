// The part of the EventStream that takes what lies inside an event.

#include <algorithm>
#include <bit>
#include <utility>

#include "analysis/stream/event_stream.h"
#include "trace/names.h"

namespace edgewise {
namespace {

// A use at the time at which an event begins is its own.
int64_t EndOf(const InnerRecord& inner) {
  return inner.kind == RecordKind::kGc ? inner.end_ns : inner.time_ns + 1;
}

}  // namespace

bool InnerRecord::may_lie_between() const {
  return kind == RecordKind::kGc || kind == RecordKind::kConnection ||
         kind == RecordKind::kUse;
}

int64_t InnerRecord::CutTo(int64_t from_ns, int64_t to_ns) {
  time_ns = std::clamp(time_ns, from_ns, to_ns);
  if (kind == RecordKind::kRequestEnd) {
    const bool earlier = written != 0 && end_ns < time_ns;
    if (!earlier) end_ns = time_ns;
  }
  if (kind != RecordKind::kGc) return time_ns;
  end_ns = std::clamp(end_ns, time_ns, to_ns);
  return end_ns;
}

void EventStream::TakeInner(const Record& record) {
  if (record.kind == RecordKind::kSlice) ++slices_;
  const bool of_request = record.kind == RecordKind::kRequestStart ||
                          record.kind == RecordKind::kRequestEnd;
  if (++inner_seen_ > (of_request ? 2 * kMaxInner : kMaxInner)) {
    ++counts_.left_out;
    next_written_.reset();
    return;
  }
  if (!of_request && !all_) return;
  InnerRecord inner{};
  inner.kind = record.kind;
  inner.type = record.type;
  inner.aux = record.aux;
  inner.time_ns = TimeOf(record.ticks);
  if (record.kind == RecordKind::kGc) {
    // A nested collection is part of the outer one.
    if (record.aux != 0 || !SaneSpan(record.duration)) return;
    inner.end_ns = TimeOf(record.ticks + Whole(record.duration));
    inner.type = static_cast<uint8_t>(InRange(record.type, GcType::kOther));
    inner.aux = AsyncId(record) < kGcReasons ? record.id_lo : 0;
    inner_.push_back(inner);
    return;
  }
  if (record.kind == RecordKind::kTimes) {
    if (!SaneSpan(record.duration) || !SaneSpan(record.ready_before)) return;
    inner.jit_ns = inner.time_ns - TimeBefore(record, record.duration);
    inner.ic_ns = inner.time_ns - TimeBefore(record, record.ready_before);
    inner_.push_back(inner);
    return;
  }
  inner.counter = TakeCounter(record);
  inner.async_id = UnwrapId(record);
  inner.sequence = sequence_ + slices_;
  TakeFields(record, &inner);
  inner_.push_back(inner);
}

// What a kind has besides.
void EventStream::TakeFields(const Record& record, InnerRecord* inner) {
  switch (record.kind) {
    case RecordKind::kRequestEnd:
      TakeEnd(record, inner);
      break;
    case RecordKind::kSlice:
      if (record.ready_before == 0 || !SaneSpan(record.ready_before)) break;
      inner->ready_kind = ReadyKind::kDue;
      inner->ready_ns = TimeBefore(record, record.ready_before);
      break;
    case RecordKind::kRequestStart:
    case RecordKind::kConnection:
    case RecordKind::kUse:
      inner->number = std::bit_cast<uint32_t>(record.duration);
      inner->text = std::bit_cast<uint32_t>(record.ready_before);
      break;
    default:
      break;
  }
}

void EventStream::TakeEnd(const Record& record, InnerRecord* end) {
  contexts_.NoteEnd(record.aux);
  end->text = std::bit_cast<uint32_t>(record.duration);
  end->number = std::bit_cast<uint32_t>(record.ready_before);
  if (!next_written_.has_value()) return;
  written_.push_back(*next_written_);
  next_written_.reset();
  end->written = static_cast<uint32_t>(written_.size());
  end->end_ns = next_written_ns_;
}

// In order with the ends, so that one is never taken for another's.
void EventStream::TakeWritten(const Record& record) {
  next_written_.reset();
  if (!SaneSpan(record.duration) || !SaneSpan(record.ready_before)) return;
  next_written_ns_ = TimeOf(record.ticks);
  const uint64_t ready = Whole(record.duration) + Whole(record.ready_before);
  WrittenIn written{};
  written.begin_ns = TimeBefore(record, record.duration);
  written.ready_ns = TimeOf(record.ticks - std::min(ready, record.ticks));
  written.ready_kind =
      InRange(static_cast<uint8_t>(ReadyKindOf(record)), ReadyKind::kNone);
  if (written.ready_kind == ReadyKind::kNone) {
    written.ready_ns = written.begin_ns;
  }
  written.type = InRange(record.type, EventType::kUnknown);
  written.loop_slept = (record.aux & kFlagLoopSlept) != 0;
  written.async_id = UnwrapId(record);
  next_written_ = written;
}

void EventStream::TakeWork(const Record& record) {
  if (!SaneSpan(record.ready_before)) return;
  WorkDone work{};
  work.place = InRange(record.type, WorkPlace::kPool);
  work.text = std::bit_cast<uint32_t>(record.duration);
  work.threads = record.aux;
  if (record.ready_before > 0) {
    work.taken_ns = TimeBefore(record, record.ready_before);
  }
  next_work_ = work;
}

int64_t EventStream::TimeBefore(const Record& record, float span) const {
  return TimeOf(record.ticks - std::min(Whole(span), record.ticks));
}

// Cuts inner times to the event, and puts them in order: durations are floats,
// and an end may come out a few ticks after the event's own.
void EventStream::PlaceInner(int64_t previous_end_ns) {
  size_t before = 0;
  int64_t from_ns = previous_end_ns;
  for (; before < inner_.size(); ++before) {
    InnerRecord& inner = inner_[before];
    if (!inner.may_lie_between() || EndOf(inner) > event_.begin_ns) break;
    from_ns = inner.CutTo(from_ns, event_.begin_ns);
  }
  from_ns = event_.begin_ns;
  for (size_t i = before; i < inner_.size(); ++i) {
    from_ns = inner_[i].CutTo(from_ns, event_.end_ns);
  }
  const std::span<const InnerRecord> all(inner_);
  event_.before = all.first(before);
  event_.inner = all.subspan(before);
  event_.written = written_;
}

// Mostly the last; that something was ready long before the loop woke is known
// when it is read. What reaches beyond the event before is for this one, too.
void EventStream::TakeOffCpu(const Record& record) {
  if (!all_) return;
  if (std::exchange(off_used_, false)) {
    if (!off_.empty()) last_off_ns_ = off_.back().end_ns;
    std::erase_if(off_, [this](const OffSpan& span) {
      return span.end_ns <= last_end_ns_;
    });
  }
  counts_.lost_switches += record.aux;
  if (!SaneSpan(record.duration) || off_.size() >= kMaxInner) return;
  OffSpan span{TimeOf(record.ticks),
               TimeOf(record.ticks + Whole(record.duration)),
               InRange(record.type, OffCpuKind::kBlocked)};
  const auto next =
      std::find_if(off_.rbegin(), off_.rend(), [&](const OffSpan& held) {
        return held.begin_ns <= span.begin_ns;
      }).base();
  span.begin_ns =
      std::max(span.begin_ns,
               next == off_.begin() ? last_off_ns_ : std::prev(next)->end_ns);
  if (next != off_.end()) span.end_ns = std::min(span.end_ns, next->begin_ns);
  if (span.begin_ns < span.end_ns) off_.insert(next, span);
}

void EventStream::TakeHeap(const Record& record) {
  if (!all_) return;
  if (std::exchange(heaps_used_, false)) heaps_.clear();
  if (heaps_.size() >= kMaxInner) return;
  heaps_.push_back(
      {TimeOf(record.ticks), std::bit_cast<uint32_t>(record.duration),
       std::bit_cast<uint32_t>(record.ready_before), AsyncId(record),
       IdCounter(record), uint64_t{record.aux} * 1024});
}

void EventStream::TakeSample(const Record& record) {
  if (!all_) return;
  if (std::exchange(samples_used_, false)) samples_.clear();
  if (!SaneSpan(record.duration) || !SaneSpan(record.ready_before)) return;
  if (samples_.size() >= kMaxInner) return;
  int64_t asked_ns = TimeOf(record.ticks);
  if (!samples_.empty()) {
    asked_ns = std::max(asked_ns, samples_.back().answered_ns);
  }
  const int64_t answered_ns = TimeOf(record.ticks + Whole(record.duration));
  samples_.push_back({asked_ns, std::max(asked_ns, answered_ns),
                      asked_ns - TimeBefore(record, record.ready_before),
                      record.aux, static_cast<uint32_t>(IdCounter(record)),
                      AsyncId(record)});
}

void EventStream::TakeAddress(const Record& record) {
  if (!all_) return;
  if (std::exchange(addresses_used_, false)) addresses_.clear();
  if (addresses_.size() >= kMaxInner) return;
  addresses_.push_back(
      {record.aux, InRange(record.type, AddressSide::kOwn), AddressIn(record)});
}

void EventStream::TakeArrival(const Record& record) {
  if (SaneSpan(record.ready_before)) {
    latest_ns_ = TimeBefore(record, record.ready_before);
  }
}

// They are told from the recording's begin on.
void EventStream::TakeTotals(const Record& record) {
  if (record.kind == RecordKind::kFaults) {
    counts_.faults = {faults_before_.minor + record.aux,
                      faults_before_.major + AsyncId(record)};
    return;
  }
  if (!SaneSpan(record.duration)) return;
  counts_.quota = {quota_before_.periods + record.aux,
                   quota_before_.throttled + AsyncId(record),
                   quota_before_.ns + TimeOf(record.ticks) -
                       TimeBefore(record, record.duration)};
}

// A request is ready with the event, whose bytes it is. The main script has no
// ready time, and no part in the requests that it starts. Of several requests
// that the same read brought the first is the first bytes'; the others came by
// the time of the last ones.
void EventStream::TakeStarts() {
  const bool in_main =
      event_.type == EventType::kMain && event_.ready_kind == ReadyKind::kNone;
  bool first = true;
  for (InnerRecord& inner : inner_) {
    if (inner.kind != RecordKind::kRequestStart) continue;
    inner.ready_kind = event_.ready_kind;
    inner.ready_ns = in_main ? inner.time_ns : event_.ready_ns;
    if (!first && latest_ns_ > event_.ready_ns) {
      inner.ready_kind = ReadyKind::kUpperBound;
      inner.ready_ns = std::min(latest_ns_, event_.begin_ns);
    }
    first = false;
  }
}

}  // namespace edgewise
