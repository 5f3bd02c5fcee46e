#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "trace/chunk.h"
#include "trace/crc32c.h"
#include "trace/record.h"

namespace edgewise {

// Writes small traces by hand, byte for byte as the recorder does. Times are
// nanoseconds after kBaseNs on CLOCK_MONOTONIC; the builder keeps the async-id
// counter and the sequence numbers, and cuts chunks where it is told to.
class TraceBuilder {
 public:
  static constexpr int64_t kBaseNs = 1'000'000'000;
  static constexpr uint64_t kBaseTicks = 50'000'000;
  static constexpr char kMeta[] =
      R"({"edgewise":"0.1.0","provider":"stock","node":"v20.0.0","pid":1,)"
      R"("thread":0,"command":"node app.js","causality":"promises",)"
      R"("mode":"stream","ticks":"tsc","fidelity":{"tcp_read":"observed"},)"
      R"("watcher":{"available":true,"error_ns":100000}})";

  // What a patched Node's recorder says.
  static constexpr char kPatchedMeta[] =
      R"({"edgewise":"0.1.0","provider":"patched","node":"v20.0.0","pid":1,)"
      R"("thread":0,"causality":"native","mode":"stream","times":true})";

  struct EventSpec {
    EventType type = EventType::kTcpRead;
    int64_t ready = -1;  // < 0: none
    uint64_t id = 0;     // async id of the resource
    ReadyKind kind = ReadyKind::kObserved;
    uint32_t flags = 0;
    int32_t fd = kNoFd;
  };

  // `ticks_per_ns`: the clock's rate.
  explicit TraceBuilder(uint32_t process = 1, uint32_t thread = 0,
                        double ticks_per_ns = 1);
  // The meta chunk. Without this call Bytes() has none.
  TraceBuilder& Meta(std::string_view json = kMeta, int64_t time = 0);

  // Inside an event, before its Event() call:
  // Takes `count` async ids; returns the last one.
  uint64_t Register(uint64_t count = 1);
  // A continuation registered by the slice of number `source` (0: unknown);
  // due: of a timer's; < 0: none. Returns its own number.
  uint64_t Slice(int64_t time, uint64_t source, uint64_t async_id = 0,
                 int64_t due = -1);
  // reason: V8's; 0: as a stock Node, which does not tell.
  TraceBuilder& Gc(GcType type, int64_t begin, int64_t end, uint32_t depth = 0,
                   uint32_t reason = 0);
  // A function of slice `source` is called.
  TraceBuilder& Edge(int64_t time, uint64_t source,
                     EdgeKind kind = EdgeKind::kClosure);
  // JIT and inline-cache time since the last one.
  TraceBuilder& Times(int64_t time, int64_t jit, int64_t ic);
  // Connection `number` begins on `fd`.
  TraceBuilder& Connection(int64_t time, uint32_t number, int32_t fd,
                           ConnectionRole role, std::string_view peer = "");
  TraceBuilder& Use(int64_t time, uint32_t number,
                    UseKind kind = UseKind::kQuestion,
                    std::string_view operation = "", uint64_t executing_id = 0);
  TraceBuilder& Start(int64_t time, uint32_t request,
                      RequestKind kind = RequestKind::kHttp1,
                      uint32_t received = kUnknownOffset);
  TraceBuilder& End(int64_t time, uint32_t request,
                    std::string_view route = "GET /", uint64_t executing_id = 0,
                    uint32_t status = 200,
                    Outcome outcome = Outcome::kFinished);
  // The last of several parts of the event's bytes came at `latest`.
  TraceBuilder& Arrival(int64_t time, int64_t latest);
  // The event is the end of work that a thread of the pool took up at `taken`;
  // < 0: not known.
  TraceBuilder& Work(int64_t time, int64_t taken, std::string_view about = "",
                     uint32_t threads = 4, WorkPlace place = WorkPlace::kPool);
  // The end that follows was written at `time`, in what was ready at
  // `spec.ready` and began at `begin`.
  TraceBuilder& Written(int64_t time, int64_t begin, const EventSpec& spec);
  // Ends the event; returns its number, which sequence() was: for its slices.
  uint64_t Event(int64_t begin, int64_t end, const EventSpec& spec);
  uint64_t sequence() const { return sequence_; }
  TraceBuilder& Loss(int64_t time, uint32_t dropped);
  TraceBuilder& Raw(const Record& record);
  // Ends the chunk at `time`. `skip`: so many chunks were lost before it.
  TraceBuilder& Cut(int64_t time, uint64_t skip = 0);
  // The orderly end.
  TraceBuilder& Finish(int64_t time);
  // Sets the counters of the chunks to come, as the recorder would.
  void set_counter(uint64_t counter) { counter_ = first_counter_ = counter; }
  uint64_t counter() const { return counter_; }

  // The file's bytes; uncut records are cut at the time of the last one.
  std::string Bytes();
  size_t size() const { return bytes_.size(); }

  uint64_t Ticks(int64_t time) const;
  uint32_t String(std::string_view text);

 private:
  void AppendChunk(ChunkKind kind, const void* payload, size_t bytes,
                   int64_t time);

  uint32_t process_;
  uint32_t thread_;
  double ticks_per_ns_;
  std::string bytes_;
  std::vector<Record> strings_;
  std::vector<Record> records_;
  std::vector<std::string> texts_;
  uint64_t index_ = 0;
  uint64_t counter_ = 100;
  uint64_t first_counter_ = 100;
  uint64_t sequence_ = 1;
  uint64_t first_sequence_ = 1;
  uint64_t slices_ = 0;
  uint64_t dropped_ = 0;
  int64_t last_time_ = 0;
};

inline TraceBuilder::TraceBuilder(uint32_t process, uint32_t thread,
                                  double ticks_per_ns)
    : process_(process), thread_(thread), ticks_per_ns_(ticks_per_ns) {}

inline uint64_t TraceBuilder::Ticks(int64_t time) const {
  return kBaseTicks + static_cast<uint64_t>(std::llround(
                          static_cast<double>(time) * ticks_per_ns_));
}

inline TraceBuilder& TraceBuilder::Meta(std::string_view json, int64_t time) {
  AppendChunk(ChunkKind::kMeta, json.data(), json.size(), time);
  return *this;
}

inline uint64_t TraceBuilder::Register(uint64_t count) {
  return counter_ += count;
}

inline uint64_t TraceBuilder::Slice(int64_t time, uint64_t source,
                                    uint64_t async_id, int64_t due) {
  const uint64_t number = sequence_ + ++slices_;
  Record record{};
  record.kind = RecordKind::kSlice;
  record.ticks = Ticks(time);
  record.aux = source == 0 ? 0 : static_cast<uint32_t>(number - source);
  if (due >= 0) {
    record.ready_before = static_cast<float>(Ticks(time) - Ticks(due));
  }
  SetIds(record, async_id & kIdMask, counter_ & kIdMask);
  last_time_ = time;
  Raw(record);
  return number;
}

inline TraceBuilder& TraceBuilder::Gc(GcType type, int64_t begin, int64_t end,
                                      uint32_t depth, uint32_t reason) {
  Record record{};
  record.kind = RecordKind::kGc;
  record.ticks = Ticks(begin);
  record.duration = static_cast<float>(Ticks(end) - Ticks(begin));
  record.type = static_cast<uint8_t>(type);
  record.aux = depth;
  record.id_lo = reason;
  last_time_ = end;
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Edge(int64_t time, uint64_t source,
                                        EdgeKind kind) {
  Record record{};
  record.kind = RecordKind::kEdge;
  record.ticks = Ticks(time);
  record.type = static_cast<uint8_t>(kind);
  record.aux = static_cast<uint32_t>(sequence_ + slices_ - source);
  SetIds(record, 0, counter_ & kIdMask);
  last_time_ = time;
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Times(int64_t time, int64_t jit,
                                         int64_t ic) {
  Record record{};
  record.kind = RecordKind::kTimes;
  record.ticks = Ticks(time);
  record.duration = static_cast<float>(Ticks(jit) - Ticks(0));
  record.ready_before = static_cast<float>(Ticks(ic) - Ticks(0));
  last_time_ = time;
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Work(int64_t time, int64_t taken,
                                        std::string_view about,
                                        uint32_t threads, WorkPlace place) {
  Record record{};
  record.kind = RecordKind::kWork;
  record.type = static_cast<uint8_t>(place);
  record.ticks = Ticks(time);
  if (taken >= 0) {
    record.ready_before = static_cast<float>(Ticks(time) - Ticks(taken));
  }
  record.duration =
      std::bit_cast<float>(about.empty() ? uint32_t{0} : String(about));
  record.aux = threads;
  last_time_ = time;
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Arrival(int64_t time, int64_t latest) {
  Record record{};
  record.kind = RecordKind::kArrival;
  record.ticks = Ticks(time);
  record.ready_before = static_cast<float>(Ticks(time) - Ticks(latest));
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Connection(int64_t time, uint32_t number,
                                              int32_t fd, ConnectionRole role,
                                              std::string_view peer) {
  const uint32_t text = peer.empty() ? 0 : String(peer);
  Record record{};
  record.kind = RecordKind::kConnection;
  record.ticks = Ticks(time);
  record.type = static_cast<uint8_t>(role);
  record.duration = std::bit_cast<float>(fd);
  record.ready_before = std::bit_cast<float>(text);
  record.aux = number;
  SetIds(record, 0, counter_);
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Use(int64_t time, uint32_t number,
                                       UseKind kind, std::string_view operation,
                                       uint64_t executing_id) {
  const uint32_t text = operation.empty() ? 0 : String(operation);
  Record record{};
  record.kind = RecordKind::kUse;
  record.ticks = Ticks(time);
  record.type = static_cast<uint8_t>(kind);
  record.ready_before = std::bit_cast<float>(text);
  record.aux = number;
  SetIds(record, executing_id, counter_);
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Start(int64_t time, uint32_t request,
                                         RequestKind kind, uint32_t received) {
  Record record{};
  record.kind = RecordKind::kRequestStart;
  record.duration = std::bit_cast<float>(received);
  record.ticks = Ticks(time);
  record.type = static_cast<uint8_t>(kind);
  record.aux = request;
  SetIds(record, 0, counter_ & kIdMask);
  last_time_ = time;
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::End(int64_t time, uint32_t request,
                                       std::string_view route,
                                       uint64_t executing_id, uint32_t status,
                                       Outcome outcome) {
  Record record{};
  record.kind = RecordKind::kRequestEnd;
  record.ticks = Ticks(time);
  record.type = static_cast<uint8_t>(outcome);
  record.aux = request;
  record.duration = std::bit_cast<float>(String(route));
  record.ready_before = std::bit_cast<float>(status);
  SetIds(record, executing_id & kIdMask, counter_ & kIdMask);
  last_time_ = time;
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Written(int64_t time, int64_t begin,
                                           const EventSpec& spec) {
  Record record{};
  record.kind = RecordKind::kWritten;
  record.ticks = Ticks(time);
  record.duration = static_cast<float>(Ticks(time) - Ticks(begin));
  record.ready_before = static_cast<float>(Ticks(begin) - Ticks(spec.ready));
  record.type = static_cast<uint8_t>(spec.type);
  record.aux = EventAux(spec.kind, kNoFd, spec.flags);
  SetIds(record, spec.id & kIdMask, counter_ & kIdMask);
  return Raw(record);
}

inline uint64_t TraceBuilder::Event(int64_t begin, int64_t end,
                                    const EventSpec& spec) {
  Record record{};
  record.kind = RecordKind::kEvent;
  record.ticks = Ticks(begin);
  record.duration = static_cast<float>(Ticks(end) - Ticks(begin));
  const bool ready = spec.ready >= 0;
  if (ready) {
    record.ready_before = static_cast<float>(Ticks(begin) - Ticks(spec.ready));
  }
  record.type = static_cast<uint8_t>(spec.type);
  record.aux =
      EventAux(ready ? spec.kind : ReadyKind::kNone, spec.fd, spec.flags);
  SetIds(record, spec.id & kIdMask, counter_ & kIdMask);
  Raw(record);
  const uint64_t number = sequence_;
  sequence_ += 1 + slices_;
  slices_ = 0;
  last_time_ = end;
  return number;
}

inline TraceBuilder& TraceBuilder::Loss(int64_t time, uint32_t dropped) {
  Record record{};
  record.kind = RecordKind::kLoss;
  record.ticks = Ticks(time);
  record.aux = dropped;
  SetIds(record, sequence_ & kIdMask, counter_ & kIdMask);
  slices_ = 0;
  dropped_ += dropped;
  last_time_ = time;
  return Raw(record);
}

inline TraceBuilder& TraceBuilder::Raw(const Record& record) {
  records_.push_back(record);
  return *this;
}

inline uint32_t TraceBuilder::String(std::string_view text) {
  const auto known = std::find(texts_.begin(), texts_.end(), text);
  if (known != texts_.end()) {
    return static_cast<uint32_t>(known - texts_.begin()) + 1;
  }
  texts_.emplace_back(text);
  Record head{};
  head.kind = RecordKind::kString;
  head.aux = static_cast<uint32_t>(texts_.size());
  head.id_lo = static_cast<uint32_t>(text.size());
  strings_.push_back(head);
  const size_t at = strings_.size();
  strings_.resize(at + StringSlots(head.id_lo), Record{});
  if (!text.empty()) {
    std::memcpy(static_cast<void*>(&strings_[at]), text.data(), text.size());
  }
  return head.aux;
}

inline TraceBuilder& TraceBuilder::Cut(int64_t time, uint64_t skip) {
  index_ += skip;
  std::vector<Record> payload = strings_;
  payload.insert(payload.end(), records_.begin(), records_.end());
  AppendChunk(ChunkKind::kRecords, payload.data(),
              payload.size() * kRecordBytes, time);
  strings_.clear();
  records_.clear();
  first_counter_ = counter_;
  first_sequence_ = sequence_ + slices_;
  return *this;
}

inline TraceBuilder& TraceBuilder::Finish(int64_t time) {
  if (!records_.empty()) Cut(time);
  AppendChunk(ChunkKind::kEnd, nullptr, 0, time);
  return *this;
}

inline void TraceBuilder::AppendChunk(ChunkKind kind, const void* payload,
                                      size_t bytes, int64_t time) {
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.version = kTraceVersion;
  header.kind = kind;
  header.payload_bytes = static_cast<uint32_t>(bytes);
  header.payload_crc = Crc32c(payload, bytes);
  header.index = index_++;
  header.ticks = Ticks(time);
  header.monotonic_ns = kBaseNs + time;
  header.realtime_ns = 1'700'000'000'000'000'000 + time;
  header.first_sequence = first_sequence_;
  header.first_counter = first_counter_ & kIdMask;
  header.dropped = dropped_;
  header.process = process_;
  header.thread = thread_;
  header.header_crc = Crc32c(&header, offsetof(ChunkHeader, header_crc));
  bytes_.append(reinterpret_cast<const char*>(&header), sizeof(header));
  if (bytes > 0) bytes_.append(static_cast<const char*>(payload), bytes);
}

inline std::string TraceBuilder::Bytes() {
  if (!records_.empty()) Cut(last_time_ + 1);
  return bytes_;
}

}  // namespace edgewise
