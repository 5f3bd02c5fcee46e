#include "analysis/stream/event_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/names.h"

namespace edgewise {
namespace {

// A jump beyond this is nonsense: years of events.
constexpr uint64_t kMaxSequenceJump = uint64_t{1} << 48;

}  // namespace

EventStream::EventStream(ByteSource* source, std::string file, Detail detail,
                         ProblemLog* problems)
    : file_(file),
      all_(detail == Detail::kAll),
      chunk_problems_(all_ ? nullptr : problems),
      record_problems_(all_ ? problems : nullptr),
      reader_(source, std::move(file), chunk_problems_) {}

const std::string* EventStream::StringOf(uint32_t id) const {
  const auto it = strings_.find(id);
  return it == strings_.end() ? nullptr : &it->second;
}

void EventStream::Report(const char* what, bool* said) {
  ++counts_.nonsense;
  // Once a file: such a fault repeats in every record.
  if (*said || record_problems_ == nullptr) return;
  *said = true;
  record_problems_->Add({file_, chunk_.offset, what, 0});
}

EventStream::Item EventStream::Next() {
  if (inner_used_) {
    inner_.clear();
    written_.clear();
    inner_used_ = false;
  }
  orphans_.clear();
  while (true) {
    const std::span<const Record> records = chunk_.records;
    while (next_record_ < records.size()) {
      const Record& record = records[next_record_++];
      ++counts_.records;
      if (record.kind == RecordKind::kLoss) {
        TakeLoss(record);
        return Item::kBreak;
      }
      if (Take(record)) return Item::kEvent;
    }
    Item item = Item::kEvent;
    if (!NextChunk(&item)) {
      OrphanInner();
      return Item::kEnd;
    }
    if (item != Item::kEvent) return item;
  }
}

bool EventStream::NextChunk(Item* item) {
  CatchUp();
  next_record_ = 0;
  const bool had_chunk = counts_.started;
  if (!reader_.Next(&chunk_)) {
    chunk_.records = {};
    return false;
  }
  const ChunkHeader& header = chunk_.header;
  const bool starts = header.kind == ChunkKind::kMeta && header.index == 0;
  const bool gap = !starts && (chunk_.gap_before || !had_chunk);
  if (starts) {
    OrphanInner();
    StartSession();
    if (had_chunk) *item = Item::kRestart;
  } else if (gap) {
    OrphanInner();
    BreakAt(header.first_sequence, header.first_counter);
    *item = Item::kBreak;
    // In flight mode the oldest chunks make room: no fault.
    if (meta_.mode != "flight" && chunk_problems_ != nullptr) {
      const uint64_t expected = had_chunk ? previous_index_ + 1 : 0;
      chunk_problems_->Add(
          {file_, chunk_.offset,
           absl::StrCat("chunk ", header.index, " follows where chunk ",
                        expected, " was expected"),
           0});
    }
  }
  AdvanceClock(/*follows=*/!starts && !gap);
  after_gap_ = gap;
  counts_.process = header.process;
  counts_.thread = header.thread;
  counts_.dropped +=
      header.dropped - std::min(header.dropped, session_dropped_);
  session_dropped_ = std::max(header.dropped, session_dropped_);
  counts_.lost_bytes +=
      header.lost_bytes - std::min(header.lost_bytes, session_lost_bytes_);
  session_lost_bytes_ = std::max(header.lost_bytes, session_lost_bytes_);
  previous_index_ = header.index;
  counts_.started = true;
  counts_.ended = header.kind == ChunkKind::kEnd;
  return true;
}

void EventStream::StartSession() {
  quota_before_ = counts_.quota;
  faults_before_ = counts_.faults;
  std::optional<TraceMeta> meta = ParseTraceMeta(chunk_.bytes);
  if (meta.has_value()) {
    meta_ = *std::move(meta);
  } else if (chunk_problems_ != nullptr) {
    chunk_problems_->Add({file_, chunk_.offset,
                          "the meta chunk is not a JSON object",
                          chunk_.bytes.size()});
  }
  strings_.clear();
  contexts_.Clear();
  // Perhaps another process with the same id, after a reboot.
  clock_.Reset();
  last_end_ns_ = 0;
  counter_known_ = false;
  counter_ = 0;
  counter_begin_ = 0;
  sequence_ = std::max<uint64_t>(1, chunk_.header.first_sequence);
  slices_ = 0;
  session_dropped_ = 0;
  session_lost_bytes_ = 0;
}

void EventStream::BreakAt(uint64_t first_sequence, uint64_t first_counter) {
  slices_ = 0;
  AdvanceSequence(first_sequence);
  // A recorder that has seen no event yet does not know the counter.
  counter_known_ = first_counter != 0;
  if (counter_known_) {
    const uint64_t delta = (first_counter - counter_) & kIdMask;
    if (delta < kHalfIdRange) counter_ += delta;
    counter_begin_ = counter_;
  }
}

void EventStream::AdvanceClock(bool follows) {
  const ChunkHeader& header = chunk_.header;
  bool forward = true;
  ChunkHeader later;
  if (chunk_.gap_before && reader_.PeekHeader(&later)) {
    forward = clock_.AdvanceAcrossGap(header.ticks, header.monotonic_ns,
                                      later.ticks, later.monotonic_ns);
  } else {
    forward = clock_.Advance(header.ticks, header.monotonic_ns);
  }
  if (!forward) Report("the clock of a chunk goes backward", &said_clock_);
  const int64_t previous_ns = limit_ns_;
  limit_ns_ = std::max(last_end_ns_, std::clamp<int64_t>(header.monotonic_ns, 0,
                                                         ClockMap::kMaxNs));
  if (follows) {
    counts_.recorded_ns += std::max<int64_t>(0, limit_ns_ - previous_ns);
  }
  if (!counts_.started) {
    constexpr int64_t kLastNs = int64_t{1} << 62;  // the year 2116
    counts_.unix_offset_ns =
        std::clamp<int64_t>(header.realtime_ns, 0, kLastNs) - limit_ns_;
  }
  counts_.first_ns =
      counts_.started ? std::min(counts_.first_ns, limit_ns_) : limit_ns_;
  counts_.last_ns = std::max(counts_.last_ns, limit_ns_);
}

bool EventStream::Take(const Record& record) {
  switch (record.kind) {
    case RecordKind::kEvent:
      if (!all_ && inner_.empty()) {
        ++counts_.events;
        inner_seen_ = 0;
        latest_ns_ = 0;
        next_work_.reset();
        passed_ = &record;
        return false;
      }
      TakeEvent(record);
      return true;
    case RecordKind::kSlice:
    case RecordKind::kGc:
    case RecordKind::kRequestStart:
    case RecordKind::kRequestEnd:
    case RecordKind::kEdge:
    case RecordKind::kTimes:
    case RecordKind::kConnection:
    case RecordKind::kUse:
      TakeInner(record);
      return false;
    case RecordKind::kArrival:
      TakeArrival(record);
      return false;
    case RecordKind::kWork:
      TakeWork(record);
      return false;
    case RecordKind::kOffCpu:
      TakeOffCpu(record);
      return false;
    case RecordKind::kSample:
      TakeSample(record);
      return false;
    case RecordKind::kHeap:
      TakeHeap(record);
      return false;
    case RecordKind::kFaults:
    case RecordKind::kQuota:
      TakeTotals(record);
      return false;
    case RecordKind::kWritten:
      TakeWritten(record);
      return false;
    case RecordKind::kAddress:
      TakeAddress(record);
      return false;
    case RecordKind::kTraceContext:
      if (all_) contexts_.Take(record);
      return false;
    case RecordKind::kString:
      TakeString(record);
      return false;
    case RecordKind::kNone:
    case RecordKind::kLoss:
      break;
  }
  Report("a record of unknown kind is skipped", &said_kind_);
  return false;
}

void EventStream::TakeString(const Record& record) {
  const std::span<const Record> records = chunk_.records;
  const uint64_t bytes = record.id_lo;
  const size_t left = records.size() - next_record_;
  if (bytes > left * kRecordBytes) {
    Report(
        "a string is longer than its chunk; the rest of the chunk is skipped",
        &said_nonsense_);
    next_record_ = records.size();
    return;
  }
  const auto* text =
      reinterpret_cast<const char*>(records.data() + next_record_);
  next_record_ += StringSlots(static_cast<uint32_t>(bytes));
  if (strings_.size() >= kMaxStrings && !strings_.contains(record.aux)) {
    Report("more strings than a recorder writes", &said_nonsense_);
    return;
  }
  strings_[record.aux].assign(text, std::min<uint64_t>(bytes, kMaxStringBytes));
}

void EventStream::ReportSpan() {
  Report("a duration is negative, infinite or not a number", &said_nonsense_);
}

uint64_t EventStream::TakeOddCounter(const Record& record) {
  if (counter_known_) {
    Report("the async-id counter goes backward", &said_counter_);
    return counter_;
  }
  counter_known_ = true;
  counter_ = std::max(counter_, (counter_ & ~kIdMask) | IdCounter(record));
  counter_begin_ = counter_;
  return counter_;
}

// Events that the caller does not want to see are passed over; only the last
// one's end matters, to the event after it.
void EventStream::CatchUp() {
  if (passed_ == nullptr) return;
  const uint64_t duration =
      SaneSpan(passed_->duration) ? Whole(passed_->duration) : 0;
  last_end_ns_ = std::max(last_end_ns_, TimeOf(passed_->ticks + duration));
  passed_ = nullptr;
}

void EventStream::TakeEvent(const Record& record) {
  ++counts_.events;
  CatchUp();
  const int64_t previous_end_ns = last_end_ns_;
  const bool sane = SaneSpan(record.duration) && SaneSpan(record.ready_before);
  const uint64_t duration = sane ? Whole(record.duration) : 0;
  event_.begin_ns = std::max(TimeOf(record.ticks), previous_end_ns);
  event_.end_ns = std::max(TimeOf(record.ticks + duration), event_.begin_ns);
  event_.sequence = sequence_;
  last_end_ns_ = event_.end_ns;
  sequence_ += 1 + slices_;
  slices_ = 0;
  inner_seen_ = 0;
  event_.type = InRange(record.type, EventType::kUnknown);
  event_.loop_slept = (record.aux & kFlagLoopSlept) != 0;
  event_.new_connection = (record.aux & kFlagNewConnection) != 0;
  event_.fd = FdOf(record);
  TakeReady(record, sane);
  event_.counter_end = TakeCounter(record);
  event_.counter_begin = counter_begin_;
  event_.async_id = UnwrapId(record);
  counter_begin_ = event_.counter_end;
  event_.before = {};
  event_.inner = {};
  event_.written = {};
  event_.off = off_;
  off_used_ = true;
  if (std::exchange(samples_used_, true)) samples_.clear();
  event_.samples = samples_;
  if (std::exchange(heaps_used_, true)) heaps_.clear();
  event_.heaps = heaps_;
  if (std::exchange(addresses_used_, true)) addresses_.clear();
  event_.addresses = addresses_;
  event_.work = std::exchange(next_work_, std::nullopt);
  if (event_.work.has_value()) {
    event_.work->taken_ns = std::min(event_.work->taken_ns, event_.ready_ns);
  }
  if (!inner_.empty()) {
    PlaceInner(previous_end_ns);
    TakeStarts();
    inner_used_ = true;
  }
  event_.latest_ns = latest_ns_;
  latest_ns_ = 0;
  if (after_gap_) [[unlikely]]
    CountAfterGap();
}

// The triple before a gap does not say when the chunk after it began: its
// first event does.
void EventStream::CountAfterGap() {
  after_gap_ = false;
  const int64_t from_ns =
      event_.before.empty() ? event_.begin_ns : event_.before.front().time_ns;
  counts_.recorded_ns += limit_ns_ - from_ns;
}

void EventStream::TakeReady(const Record& record, bool sane) {
  event_.ready_ns = event_.begin_ns;
  event_.ready_kind = sane ? InRange(static_cast<uint8_t>(ReadyKindOf(record)),
                                     ReadyKind::kNone)
                           : ReadyKind::kNone;
  if (event_.ready_kind == ReadyKind::kNone) return;
  event_.ready_ns =
      std::min(TimeBefore(record, record.ready_before), event_.begin_ns);
}

void EventStream::OrphanInner() {
  latest_ns_ = 0;
  next_work_.reset();
  int64_t from_ns = last_end_ns_;
  for (InnerRecord& inner : inner_) {
    if (!inner.may_lie_between()) ++counts_.orphaned;
    from_ns = inner.CutTo(from_ns, limit_ns_);
  }
  orphans_.swap(inner_);
  inner_.clear();
  written_.clear();
  next_written_.reset();
  inner_seen_ = 0;
}

void EventStream::AdvanceSequence(uint64_t sequence) {
  const uint64_t jump = sequence - sequence_;
  if (jump < kMaxSequenceJump) sequence_ = sequence;
}

void EventStream::TakeLoss(const Record& record) {
  OrphanInner();
  slices_ = 0;
  const uint64_t jump = (AsyncId(record) - sequence_) & kIdMask;
  if (jump < kHalfIdRange) AdvanceSequence(sequence_ + jump);
  counter_begin_ = TakeCounter(record);
}

}  // namespace edgewise
