#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/stream/clock_map.h"
#include "analysis/stream/connection_ends.h"
#include "analysis/stream/trace_contexts.h"
#include "analysis/stream/trace_meta.h"
#include "analysis/timeline/off_timeline.h"
#include "trace/reader.h"
#include "trace/record.h"

namespace edgewise {

// A record that lies inside an event, with its times in nanoseconds. Times are
// in order and inside the event, whatever the trace says.
struct InnerRecord {
  // kSlice, kGc, kRequestStart, kRequestEnd, kEdge, kTimes, kConnection, kUse
  RecordKind kind;
  uint8_t type;
  // Request id; kSlice, kEdge: distance to the source; kGc: V8's reason, 0
  // where none is known; kConnection, kUse: the connection's number.
  uint32_t aux;
  int64_t time_ns;  // kGc: begin
  // kGc: its end. kRequestEnd: when the response's last byte was handed over;
  // earlier than time_ns, perhaps in an earlier event, where `written` says so.
  int64_t end_ns;
  uint64_t async_id;  // 0: none
  uint64_t counter;   // ids up to it existed at time_ns
  uint64_t sequence;  // kSlice: its own number; else the running slice's
  // A string's id. kRequestEnd: the route; kConnection: the peer; kUse: what is
  // asked.
  uint32_t text;
  // kRequestEnd: the status; kConnection: the descriptor; kUse: bytes written;
  // kRequestStart: bytes that its connection had received before what was read
  // in its event, and `text`: bytes that it had sent; or kUnknownOffset.
  uint32_t number;
  uint32_t written;  // kRequestEnd: index in Event::written, plus one; or 0
  // kRequestStart: when its first bytes could be read, and what that rests on;
  // kSlice: when its timer was due; of the kind kNone otherwise.
  ReadyKind ready_kind;
  int64_t ready_ns;
  int64_t jit_ns;  // kTimes
  int64_t ic_ns;

  // Whether it may belong to no event.
  bool may_lie_between() const;
  // kSlice: whether it runs under an id that existed at `count`.
  bool is_of_known_id(uint64_t count) const {
    return aux == 0 && async_id != 0 && async_id <= count;
  }
  // Cuts its times to a stretch; returns where the next one's begins.
  int64_t CutTo(int64_t from_ns, int64_t to_ns);
};

// What ran when a response was written that was told of later.
struct WrittenIn {
  int64_t begin_ns;  // of the slice; <= the write
  int64_t ready_ns;  // <= begin_ns
  ReadyKind ready_kind;
  EventType type;
  bool loop_slept;
  uint64_t async_id;  // 0: none
};

// Work that was done elsewhere, and has ended with an event.
struct WorkDone {
  WorkPlace place;
  // A thread of the pool took it up; at most the event's ready time. 0: not
  // known.
  int64_t taken_ns;
  uint32_t text;     // a string's id: what it is about; 0: not known
  uint32_t threads;  // of the pool, as far as seen; 0: not known
};

// What JavaScript ran when it was asked for, at most until it was answered.
struct StackSample {
  int64_t asked_ns;
  int64_t answered_ns;  // >= asked_ns
  int64_t before_ns;    // nothing was asked for so long before
  uint32_t stack;       // a string's id; 0: what ran could not be told
  uint32_t module;      // of the native code that it called; 0: none was seen
  uint64_t address;     // in that
};

// What a collection has found on the heap, and has left. Bytes.
struct HeapChange {
  int64_t time_ns;  // in the collection
  uint64_t young_before;
  uint64_t young_after;
  uint64_t old_before;  // all that is not young
  uint64_t old_after;
  uint64_t semi_space;  // that young objects may take
};

// One event with everything that happened inside it.
struct Event {
  int64_t begin_ns;
  int64_t end_ns;
  int64_t ready_ns;  // <= begin_ns; begin_ns where the kind is kNone
  ReadyKind ready_kind;
  EventType type;
  bool loop_slept;         // in the wait before it
  bool new_connection;     // the first that was read of it
  int64_t latest_ns;       // its bytes came in parts: the last; 0: they did not
  int32_t fd;              // kNoFd: none
  uint64_t async_id;       // 0: none
  uint64_t counter_begin;  // it registered the ids in (counter_begin,
  uint64_t counter_end;    //                            counter_end]
  uint64_t sequence;       // its slices have the numbers after it
  // Collections and what was done with connections since the event before it.
  std::span<const InnerRecord> before;
  std::span<const InnerRecord> inner;
  std::span<const WrittenIn> written;
  std::optional<WorkDone> work;  // whose end it is
  // When the thread did not run, since the event before; in order.
  std::span<const OffSpan> off;
  // Asked for since the event before; in order.
  std::span<const StackSample> samples;
  std::span<const HeapChange> heaps;  // likewise, of outermost collections
  // Of connections that began in it, or since the event before.
  std::span<const ConnectionAddress> addresses;
};

// What one file said about itself and what was counted while reading it.
struct StreamCounts {
  uint64_t events = 0;
  uint64_t records = 0;
  uint64_t dropped = 0;     // by the recorder, ring full
  uint64_t lost_bytes = 0;  // by the recorder, not written
  uint64_t orphaned = 0;    // inner records whose event is missing
  uint64_t left_out = 0;    // records beyond kMaxInner in one event
  uint64_t nonsense = 0;    // records with impossible values
  int64_t first_ns = 0;     // CLOCK_MONOTONIC of the first and last triple
  int64_t last_ns = 0;
  int64_t unix_offset_ns = 0;  // of the first chunk: CLOCK_REALTIME is so much
                               // later than CLOCK_MONOTONIC
  int64_t recorded_ns = 0;     // covered by chunks that are there
  uint64_t lost_switches = 0;  // by the kernel
  // What quotas of the processor have done meanwhile.
  struct Throttled {
    uint64_t periods = 0;
    uint64_t throttled = 0;  // of them, the process's group was stopped
    int64_t ns = 0;          // so long, over processors
  } quota;
  // Of the thread meanwhile, as far as it has told.
  struct Faults {
    uint64_t minor = 0;
    uint64_t major = 0;
  } faults;
  uint32_t process = 0;
  uint32_t thread = 0;
  bool started = false;  // at least one good chunk
  bool ended = false;    // the last one says so
};

// Assembles the events of one trace file from its chunks, in order, in one
// pass. Memory: one chunk, and the records inside one event.
class EventStream {
 public:
  enum class Item {
    kEvent,    // event() holds the next one
    kBreak,    // records are missing here: inner records in orphans() lost
               // their event
    kRestart,  // the recorder stopped and started again: requests do not cross
    kEnd,
  };

  // Of an event with more inner records than this the later ones are left out;
  // of requests' starts and ends those beyond twice as many.
  static constexpr size_t kMaxInner = size_t{1} << 18;
  static constexpr size_t kMaxStrings = size_t{1} << 16;
  static constexpr size_t kMaxStringBytes = 4096;

  // What the caller wants to see.
  enum class Detail {
    kRequests,  // events in which requests start or end, with those records
                // only: enough for latencies, and faster. Problems of chunks
                // are reported.
    kAll,       // everything. Problems of records are reported.
  };

  // `source` and `problems` (may be null) must outlive the stream. A problem
  // is reported once by the two details together.
  EventStream(ByteSource* source, std::string file, Detail detail,
              ProblemLog* problems);

  Item Next();
  const Event& event() const { return event_; }
  std::span<const InnerRecord> orphans() const { return orphans_; }
  const StreamCounts& counts() const { return counts_; }

  // The text of a string id, or null. Valid until the next call of Next().
  const std::string* StringOf(uint32_t id) const;
  // What the caller of a request that is open, or has ended of late, has said;
  // or null. Valid until the next call of Next().
  const TraceContext* ContextOf(uint32_t request) const {
    return contexts_.Of(request);
  }
  // By what name it has gone: TraceContext::Key(); 0: none.
  uint64_t NameOf(uint32_t request) const { return contexts_.KeyOf(request); }
  // What the (last) meta chunk said.
  const TraceMeta& meta() const { return meta_; }

 private:
  // Moves to the next chunk; *item becomes kBreak or kRestart if it does not
  // simply go on. False at the end of the file.
  bool NextChunk(Item* item);
  // `follows`: on the chunk before, without a gap.
  void AdvanceClock(bool follows);
  void StartSession();
  void BreakAt(uint64_t first_sequence, uint64_t first_counter);
  // Handles one record; true if an event is complete.
  bool Take(const Record& record);
  void TakeString(const Record& record);
  void TakeInner(const Record& record);
  void TakeFields(const Record& record, InnerRecord* inner);
  void TakeWritten(const Record& record);
  void TakeWork(const Record& record);
  void TakeOffCpu(const Record& record);
  void TakeSample(const Record& record);
  void TakeHeap(const Record& record);
  void TakeAddress(const Record& record);
  void TakeArrival(const Record& record);
  void TakeTotals(const Record& record);
  void TakeEnd(const Record& record, InnerRecord* end);
  void TakeEvent(const Record& record);
  void CountAfterGap();
  void CatchUp();
  void TakeReady(const Record& record, bool sane);
  void TakeLoss(const Record& record);
  void PlaceInner(int64_t previous_end_ns);
  void TakeStarts();
  void OrphanInner();
  int64_t TimeOf(uint64_t ticks) const {
    return std::min(clock_.ToNs(ticks), limit_ns_);
  }
  // A sane span before the record's time.
  int64_t TimeBefore(const Record& record, float span) const;
  // The counter only grows; the records hold its low 40 bits.
  uint64_t TakeCounter(const Record& record) {
    const uint64_t delta = (IdCounter(record) - counter_) & kIdMask;
    if (delta < kHalfIdRange && counter_known_) [[likely]] {
      return counter_ += delta;
    }
    return TakeOddCounter(record);
  }
  uint64_t TakeOddCounter(const Record& record);
  // An id that exists is at most the counter.
  uint64_t UnwrapId(const Record& record) const {
    const uint64_t id = AsyncId(record);
    const uint64_t age = (counter_ - id) & kIdMask;
    return id != 0 && age < counter_ ? counter_ - age : 0;
  }
  // Of a span that SaneSpan() has passed.
  static uint64_t Whole(float ticks) {
    return static_cast<uint64_t>(static_cast<int64_t>(ticks));
  }
  template <typename Enum>
  static Enum InRange(uint8_t value, Enum otherwise) {
    return value <= static_cast<uint8_t>(Enum::kMaxValue)
               ? static_cast<Enum>(value)
               : otherwise;
  }
  // False, and reported, for NaN too.
  bool SaneSpan(float ticks) {
    if (ticks >= 0 && ticks < kMaxSpanTicks) [[likely]]
      return true;
    ReportSpan();
    return false;
  }
  void ReportSpan();
  void AdvanceSequence(uint64_t sequence);
  void Report(const char* what, bool* said);

  static constexpr uint64_t kHalfIdRange = (kIdMask + 1) / 2;
  // Longer spans than this (2^53 ticks: over a month) are nonsense.
  static constexpr float kMaxSpanTicks = 9.0e15F;

  std::string file_;
  const bool all_;
  ProblemLog* chunk_problems_;   // null in one of the two details
  ProblemLog* record_problems_;  // null in the other
  ChunkReader reader_;
  Chunk chunk_{};
  size_t next_record_ = 0;
  uint64_t previous_index_ = 0;  // of the chunk before

  ClockMap clock_;
  int64_t limit_ns_ = 0;    // no record of this chunk is later
  bool after_gap_ = false;  // and no event of this chunk was seen yet
  bool counter_known_ = false;
  uint64_t counter_ = 0;        // 64-bit; the records hold its low 40
  uint64_t counter_begin_ = 0;  // where the next event's interval begins
  uint64_t sequence_ = 1;       // of the next event
  uint64_t slices_ = 0;         // since the last event
  int64_t last_end_ns_ = 0;
  uint64_t session_dropped_ = 0;
  uint64_t session_lost_bytes_ = 0;

  const Record* passed_ = nullptr;  // in the current chunk

  Event event_{};
  int64_t latest_ns_ = 0;  // the last part of its bytes came; 0: in one
  std::optional<WorkDone> next_work_;         // of the next event
  std::vector<OffSpan> off_;                  // since the last event
  bool off_used_ = false;                     // event_ refers to it
  std::vector<StackSample> samples_;          // since the last event
  bool samples_used_ = false;                 // event_ refers to it
  std::vector<HeapChange> heaps_;             // since the last event
  bool heaps_used_ = false;                   // event_ refers to it
  std::vector<ConnectionAddress> addresses_;  // since the last event
  bool addresses_used_ = false;               // event_ refers to it
  int64_t last_off_ns_ = 0;
  StreamCounts::Throttled quota_before_;  // of recordings before this one
  StreamCounts::Faults faults_before_;    // likewise
  std::vector<InnerRecord> inner_;
  std::vector<WrittenIn> written_;  // of the ends in inner_
  // What the last kWritten has said, for the end after it.
  std::optional<WrittenIn> next_written_;
  int64_t next_written_ns_ = 0;
  size_t inner_seen_ = 0;  // also those that the detail leaves out
  std::vector<InnerRecord> orphans_;
  bool inner_used_ = false;  // event_ refers to inner_: clear it next time
  absl::flat_hash_map<uint32_t, std::string> strings_;
  TraceContexts contexts_;
  TraceMeta meta_;
  StreamCounts counts_;
  bool said_counter_ = false;
  bool said_nonsense_ = false;
  bool said_clock_ = false;
  bool said_kind_ = false;
};

}  // namespace edgewise
