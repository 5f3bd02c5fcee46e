#include "benchmarks/analysis/synthetic_trace.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/chunk.h"
#include "trace/record.h"
#include "trace/writer.h"

namespace edgewise {
namespace {

constexpr char kMeta[] =
    R"({"edgewise":"0.1.0","provider":"synthetic","mode":"stream"})";
constexpr const char* kRoutes[] = {"GET /", "GET /todo", "POST /todo",
                                   "GET /search", "GET /user/:id"};
constexpr int64_t kChunkNs = 100'000'000;

class Generator {
 public:
  Generator(const SyntheticTraceOptions& options, ChunkWriter* writer)
      : options_(options), writer_(writer), random_(options.seed) {}

  absl::Status Run(SyntheticTraceCounts* counts) {
    absl::Status status = Append(ChunkKind::kMeta, kMeta, sizeof(kMeta) - 1);
    for (uint32_t i = 0; i < std::size(kRoutes); ++i) AddRoute(i);
    while (status.ok() && counts_.events < options_.events) {
      Step();
      if (now_ns_ - cut_ns_ >= kChunkNs) status = Cut();
    }
    if (status.ok()) status = Cut();
    if (status.ok()) status = Append(ChunkKind::kEnd, nullptr, 0);
    *counts = counts_;
    counts->bytes = writer_->written_bytes();
    return status;
  }

 private:
  struct Open {
    uint32_t id;
    uint64_t async_id;   // what it waits for
    uint64_t sequence;   // of the slice that awaits
    int64_t started_ns;  // when that was registered
    EventType type;
  };

  double Uniform() { return static_cast<double>(random_()) / 4294967296.0; }
  int64_t Between(int64_t low, int64_t high) {
    return low +
           static_cast<int64_t>(Uniform() * static_cast<double>(high - low));
  }

  void Step() {
    // Mostly busy: the loop is idle for a while every few events.
    if (Uniform() < 0.2) now_ns_ += Between(1'000, 100'000);
    if (++since_gc_ >= options_.events_per_gc) Gc();
    const double choice = Uniform();
    if (choice < 0.1) return Unowned();
    const double arrive = 1.0 / options_.events_per_request;
    const bool may_arrive = open_.size() < 2 * options_.open_requests;
    if (open_.size() < options_.open_requests / 2 ||
        (may_arrive && choice < 0.1 + arrive)) {
      return Arrive();
    }
    Continue(open_.size() > options_.open_requests);
  }

  void Gc() {
    since_gc_ = 0;
    const int64_t begin_ns = now_ns_;
    now_ns_ += Between(300'000, 2'000'000);
    Record record{};
    record.kind = RecordKind::kGc;
    record.ticks = Ticks(begin_ns);
    record.duration = static_cast<float>(Ticks(now_ns_) - Ticks(begin_ns));
    Push(record);
  }

  void Unowned() {
    const int64_t begin_ns = now_ns_;
    now_ns_ += Between(1'000, 20'000);
    Event(begin_ns, begin_ns - 500, EventType::kImmediate, 0);
  }

  void Arrive() {
    const int64_t begin_ns = now_ns_;
    const uint32_t id = ++requests_;
    Request(RecordKind::kRequestStart, begin_ns + 200, id);
    now_ns_ += Between(5'000, 60'000);
    Open open{id, ++counter_, sequence_, now_ns_, EventType::kFsRead};
    Event(begin_ns, begin_ns - Between(100, 50'000), EventType::kTcpRead, 3);
    open_.push_back(open);
  }

  void Continue(bool prefer_end) {
    const size_t at = random_() % open_.size();
    Open& open = open_[at];
    const int64_t begin_ns = now_ns_;
    int64_t ready_ns = begin_ns - Between(0, 30'000);
    ready_ns = std::max(ready_ns, open.started_ns);
    const uint64_t await = open.sequence;
    open.sequence = sequence_;
    now_ns_ += Between(2'000, 20'000);
    if (Uniform() < options_.slices_per_event) {
      Record slice{};
      slice.kind = RecordKind::kSlice;
      slice.ticks = Ticks(now_ns_);
      slice.aux = static_cast<uint32_t>(sequence_ + 1 - await);
      SetIds(slice, 0, counter_);
      Push(slice);
      open.sequence = sequence_ + 1;
      slices_ = 1;
      now_ns_ += Between(2'000, 20'000);
    }
    const uint64_t async_id = open.async_id;
    const EventType type = open.type;
    const double end = 1.0 / (options_.events_per_request - 1);
    if (Uniform() < (prefer_end ? 1.5 : 0.8) * end) {
      Request(RecordKind::kRequestEnd, now_ns_ - 500, open.id);
      ++counts_.requests;
      open_[at] = open_.back();
      open_.pop_back();
    } else {
      open.async_id = ++counter_;
      open.started_ns = now_ns_;
      open.type = (random_() & 1) != 0 ? EventType::kTimer : EventType::kFsRead;
    }
    Event(begin_ns, ready_ns, type, async_id);
  }

  void Request(RecordKind kind, int64_t time_ns, uint32_t id) {
    Record record{};
    record.kind = kind;
    record.ticks = Ticks(time_ns);
    record.aux = id;
    SetIds(record, 0, counter_);
    if (kind == RecordKind::kRequestEnd) {
      const uint32_t route = id % std::size(kRoutes) + 1;
      record.duration = std::bit_cast<float>(route);
      record.ready_before = std::bit_cast<float>(200U);
    }
    Push(record);
  }

  void Event(int64_t begin_ns, int64_t ready_ns, EventType type,
             uint64_t async_id) {
    Record record{};
    record.kind = RecordKind::kEvent;
    record.ticks = Ticks(begin_ns);
    record.duration = static_cast<float>(Ticks(now_ns_) - record.ticks);
    record.ready_before = static_cast<float>(record.ticks - Ticks(ready_ns));
    record.type = static_cast<uint8_t>(type);
    record.aux = EventAux(ReadyKind::kObserved, kNoFd, 0);
    SetIds(record, async_id, counter_);
    Push(record);
    ++counts_.events;
    sequence_ += 1 + slices_;
    slices_ = 0;
  }

  void AddRoute(uint32_t i) {
    Record record{};
    record.kind = RecordKind::kString;
    record.aux = i + 1;
    record.id_lo = static_cast<uint32_t>(std::strlen(kRoutes[i]));
    Push(record);
    Record text{};
    std::memcpy(static_cast<void*>(&text), kRoutes[i], record.id_lo);
    Push(text);
  }

  void Push(const Record& record) {
    records_.push_back(record);
    ++counts_.records;
  }

  uint64_t Ticks(int64_t ns) const {
    return static_cast<uint64_t>(static_cast<double>(ns) *
                                 options_.ticks_per_ns);
  }

  absl::Status Cut() {
    cut_ns_ = now_ns_;
    absl::Status status = Append(ChunkKind::kRecords, records_.data(),
                                 records_.size() * sizeof(Record));
    records_.clear();
    chunk_sequence_ = sequence_;
    chunk_counter_ = counter_;
    return status;
  }

  absl::Status Append(ChunkKind kind, const void* payload, size_t bytes) {
    ChunkHeader header{};
    header.kind = kind;
    header.index = index_++;
    header.ticks = Ticks(now_ns_);
    header.monotonic_ns = now_ns_;
    header.realtime_ns = now_ns_;
    header.first_sequence = chunk_sequence_;
    header.first_counter = chunk_counter_;
    header.process = 1;
    return writer_->Append(header, payload, static_cast<uint32_t>(bytes));
  }

  const SyntheticTraceOptions& options_;
  ChunkWriter* writer_;
  std::mt19937 random_;
  SyntheticTraceCounts counts_;
  std::vector<Record> records_;
  std::vector<Open> open_;
  int64_t now_ns_ = 1'000'000'000;
  int64_t cut_ns_ = 1'000'000'000;
  uint64_t index_ = 0;
  uint64_t sequence_ = 1;
  uint64_t slices_ = 0;
  uint64_t chunk_sequence_ = 1;
  uint64_t counter_ = 100;
  uint64_t chunk_counter_ = 100;
  uint64_t since_gc_ = 0;
  uint32_t requests_ = 0;
};

}  // namespace

absl::Status WriteSyntheticTrace(const std::string& path,
                                 const SyntheticTraceOptions& options,
                                 SyntheticTraceCounts* counts) {
  absl::StatusOr<ChunkWriter> writer = ChunkWriter::Open(path, UINT64_MAX / 2);
  if (!writer.ok()) return writer.status();
  return Generator(options, &*writer).Run(counts);
}

}  // namespace edgewise
