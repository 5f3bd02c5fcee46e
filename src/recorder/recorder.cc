#include "recorder/recorder.h"

#include <stdio.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "platform/clock.h"

namespace edgewise {
namespace {

// The drain looks this often, so that a burst cannot fill the ring within one
// flush period; it cuts a chunk early only when the ring is a quarter full.
constexpr auto kLook = std::chrono::milliseconds(20);
constexpr int64_t kLookAheadNs = std::chrono::nanoseconds(kLook).count();

// Records of one chunk; the rest of what a reader takes is for its strings.
constexpr size_t kMostRecords = kMaxChunkPayload / kRecordBytes / 2;

// A chunk that is refused is lost whole: of a small quota each is a small part.
size_t MostRecords(uint64_t quota_bytes) {
  constexpr uint64_t kParts = 8;
  constexpr uint64_t kFewRecords = 64;
  return std::clamp<uint64_t>(quota_bytes / kParts / kRecordBytes, kFewRecords,
                              kMostRecords);
}

bool EndsEvent(const Record& record) {
  return record.kind == RecordKind::kEvent || record.kind == RecordKind::kLoss;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Start(
    RecorderConfig config) {
  // Each dump was asked for.
  absl::StatusOr<ChunkWriter> writer =
      config.mode == RecordingMode::kStream
          ? ChunkWriter::Open(config.path, config.max_bytes)
          : ChunkWriter::OpenUnbounded(config.path);
  if (!writer.ok()) return writer.status();
  std::unique_ptr<Recorder> recorder(
      new Recorder(std::move(config), *std::move(writer)));
  const std::string& meta = recorder->config_.meta_json;
  const absl::Status status =
      recorder->writer_.Append(recorder->NewHeader(ChunkKind::kMeta),
                               meta.data(), static_cast<uint32_t>(meta.size()));
  if (absl::IsResourceExhausted(status)) {
    NoteUnrecordedThread(
        std::filesystem::path(recorder->config_.path).parent_path().string());
  }
  if (!status.ok()) return status;
  recorder->termination_.Begin();
  absl::StatusOr<HelperThread> drain = HelperThread::Start(
      "edgewise-drain", [r = recorder.get()] { r->DrainLoop(); });
  if (!drain.ok()) return drain.status();
  recorder->drain_ = *std::move(drain);
  return recorder;
}

Recorder::Recorder(RecorderConfig config, ChunkWriter writer)
    : config_(std::move(config)),
      ring_(config_.ring_records),
      writer_(std::move(writer)),
      next_sequence_(config_.first_sequence) {
  if (config_.mode == RecordingMode::kFlight) {
    held_ = std::make_unique<HeldChunks>(config_.path, config_.max_bytes);
  }
}

Recorder::~Recorder() { Stop(); }

void Recorder::PushEventAfterLoss(const Record& record,
                                  uint64_t next_sequence) {
  ++lost_;
  const bool closed = ring_.Push([&](Record& loss) {
    loss.kind = RecordKind::kLoss;
    loss.ticks = record.ticks;
    loss.aux = static_cast<uint32_t>(std::min<uint64_t>(lost_, UINT32_MAX));
    SetIds(loss, next_sequence, IdCounter(record));
  });
  if (!closed) return;
  dropped_.store(dropped_.load(std::memory_order_relaxed) + lost_,
                 std::memory_order_relaxed);
  lost_ = 0;
}

uint32_t Recorder::InternString(std::string_view text) {
  const std::lock_guard lock(strings_mutex_);
  const auto [it, added] = string_ids_.try_emplace(
      std::string(text), static_cast<uint32_t>(strings_.size() + 1));
  if (added) strings_.emplace_back(text);
  return it->second;
}

absl::Status Recorder::Dump() {
  std::unique_lock lock(mutex_);
  if (stopping_) return absl::FailedPreconditionError("recording has stopped");
  const uint64_t mine = ++dumps_asked_;
  wake_.notify_one();
  dumped_.wait(lock, [&] { return dumps_done_ >= mine; });
  return dump_status_;
}

void Recorder::Stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    wake_.notify_one();
  }
  if (!drain_.joinable()) return;
  drain_.join();
  if (lost_ > 0) {
    dropped_.fetch_add(lost_, std::memory_order_relaxed);
    lost_ = 0;
  }
  CutChunks(/*final=*/true);
  WriteHeld();
  WriteChunk(NewHeader(ChunkKind::kEnd), {});
  held_.reset();
  termination_.End();  // after all is written: a signal may have waited
}

RecorderStats Recorder::stats() const {
  return {dropped_.load(std::memory_order_relaxed),
          lost_bytes_.load(std::memory_order_relaxed),
          written_bytes_.load(std::memory_order_relaxed)};
}

void Recorder::DrainLoop() {
  ring_.Populate();
  const auto flush = std::chrono::milliseconds(config_.flush_ms);
  auto last_cut = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_.wait_for(lock, std::min(kLook, flush));
    const uint64_t asked = dumps_asked_;
    bool dump = asked > dumps_done_;
    lock.unlock();
    evasion_.Leave();
    if (termination_.Pending()) FlushForTermination();
    const uint64_t lost_before = lost_bytes_.load(std::memory_order_relaxed);
    const auto now = std::chrono::steady_clock::now();
    const bool requested = dump_wanted_.load(std::memory_order_relaxed) != 0;
    // Before the next look would be too late.
    const bool due = now - last_cut + kLook > flush;
    if (dump || requested || due || ring_.Readable() > ring_.capacity() / 4) {
      CutChunks(/*final=*/false);
      last_cut = now;
    }
    CutOverdue();
    if (requested && RequestedIsDrained()) dump = true;
    if (dump) WriteHeld();
    const bool whole =
        lost_bytes_.load(std::memory_order_relaxed) == lost_before;
    lock.lock();
    if (asked > dumps_done_) {
      dumps_done_ = asked;
      dump_status_ =
          whole
              ? absl::OkStatus()
              : absl::ResourceExhaustedError("not all chunks could be written");
      dumped_.notify_all();
    }
  }
  dumps_done_ = dumps_asked_;
  dumped_.notify_all();
}

// What a request for a dump is about ends with an event that was running then.
bool Recorder::RequestedIsDrained() {
  uint64_t wanted = dump_wanted_.load(std::memory_order_relaxed);
  if (events_popped_ <= wanted) return false;
  // It stays where another has come meanwhile.
  dump_wanted_.compare_exchange_strong(wanted, 0, std::memory_order_relaxed);
  return true;
}

// The process is about to die of a signal. What the recorded thread does in the
// meantime is not waited for. If it lives, the drain goes on.
void Recorder::FlushForTermination() {
  CutChunks(/*final=*/true);
  WriteHeld();
  WriteChunk(NewHeader(ChunkKind::kEnd), {});
  termination_.Finished();
}

// Chunks end where an event ends, so that an event stands in one chunk with
// what happened inside it. A single event that fills half the ring is cut.
size_t Recorder::WholeEvents(size_t readable) const {
  if (readable > ring_.capacity() / 2) return readable;
  size_t whole = readable;
  while (whole > 0) {
    if (EndsEvent(ring_.Peek(whole - 1))) break;
    --whole;
  }
  return whole;
}

// What happened inside an event that lasts longer than the flush period is
// written before the event ends: the process may be killed in it.
void Recorder::CutOverdue() {
  const size_t readable = ring_.Readable();
  if (readable == 0 || WholeEvents(readable) > 0) return;
  const auto age = static_cast<int64_t>(Ticks() - ring_.Peek(0).ticks);
  const int64_t most_ns = int64_t{config_.flush_ms} * 1'000'000 - kLookAheadNs;
  if (age > 0 && TickNs(static_cast<uint64_t>(age)) > most_ns) {
    CutChunks(/*final=*/true);
  }
}

void Recorder::CutChunks(bool final) {
  while (CutChunk(final)) {
  }
}

// True: more was to be read than a chunk may hold.
bool Recorder::CutChunk(bool final) {
  const size_t readable = ring_.Readable();
  const size_t most = std::min(readable, MostRecords(config_.max_bytes));
  size_t count = most;
  if (!final || most < readable) count = WholeEvents(most);
  // An event that fills a chunk is cut as well.
  if (count == 0 && most < readable) count = most;
  if (count == 0) return false;
  ChunkHeader header = NewHeader(ChunkKind::kRecords);
  std::vector<Record> records(count);
  ring_.Pop(records.data(), count);
  // What overdue records belong to has not ended.
  for (size_t i = count; i > 0; --i) {
    if (!EndsEvent(records[i - 1])) continue;
    events_popped_ = ring_.popped() - (count - i);
    break;
  }
  AdvanceNumbering(records);
  Emit(header, std::move(records));
  return most < readable;
}

void Recorder::AdvanceNumbering(const std::vector<Record>& records) {
  for (const Record& record : records) {
    switch (record.kind) {
      case RecordKind::kEvent:
        next_counter_ = IdCounter(record);
        [[fallthrough]];
      case RecordKind::kSlice:
        ++next_sequence_;
        break;
      case RecordKind::kLoss:
        next_sequence_ = AsyncId(record);
        next_counter_ = IdCounter(record);
        break;
      default:
        break;
    }
  }
}

void Recorder::Emit(ChunkHeader header, std::vector<Record> records) {
  if (held_ != nullptr && held_->MakeRoom(records.size() * kRecordBytes)) {
    const std::lock_guard lock(strings_mutex_);
    strings_written_ = strings_in_trace_;
  }
  const std::vector<Record> strings = TakeNewStrings();
  records.insert(records.begin(), strings.begin(), strings.end());
  if (held_ == nullptr) {
    WriteChunk(header, records, strings.size());
    return;
  }
  header.lost_bytes = writer_.lost_bytes();
  Note(held_->Append(header, records.data(),
                     static_cast<uint32_t>(records.size() * kRecordBytes),
                     static_cast<uint32_t>(strings.size() * kRecordBytes)));
}

void Recorder::WriteHeld() {
  if (held_ == nullptr) return;
  {
    const std::lock_guard lock(strings_mutex_);
    strings_in_trace_ = strings_written_;
  }
  Note(held_->MoveTo(&writer_));
}

// `strings` of the records, the first ones, are from TakeNewStrings().
void Recorder::WriteChunk(const ChunkHeader& header,
                          const std::vector<Record>& records, size_t strings) {
  Note(writer_.Append(header, records.data(),
                      static_cast<uint32_t>(records.size() * kRecordBytes),
                      static_cast<uint32_t>(strings * kRecordBytes)));
}

// What became of a chunk.
void Recorder::Note(const absl::Status& status) {
  written_bytes_.store(writer_.written_bytes(), std::memory_order_relaxed);
  lost_bytes_.store(
      writer_.lost_bytes() + (held_ != nullptr ? held_->lost_bytes() : 0),
      std::memory_order_relaxed);
  if (status.ok()) return;
  // Of all threads, one.
  static std::atomic<bool> complained{false};
  if (!complained.exchange(true, std::memory_order_relaxed)) {
    fprintf(
        stderr,
        "edgewise: %.*s; the application goes on, what is lost is counted\n",
        static_cast<int>(status.message().size()), status.message().data());
  }
  // The strings of a lost chunk would be missed by all later ones.
  const std::lock_guard lock(strings_mutex_);
  strings_written_ = 0;
  strings_in_trace_ = 0;
}

std::vector<Record> Recorder::TakeNewStrings() {
  const std::lock_guard lock(strings_mutex_);
  std::vector<Record> slots;
  for (; strings_written_ < strings_.size(); ++strings_written_) {
    const std::string& text = strings_[strings_written_];
    Record head{};
    head.kind = RecordKind::kString;
    head.aux = static_cast<uint32_t>(strings_written_ + 1);
    head.id_lo = static_cast<uint32_t>(text.size());
    slots.push_back(head);
    const size_t at = slots.size();
    slots.resize(at + StringSlots(head.id_lo), Record{});
    std::memcpy(static_cast<void*>(slots.data() + at), text.data(),
                text.size());
  }
  return slots;
}

ChunkHeader Recorder::NewHeader(ChunkKind kind) {
  const ClockTriple now = ReadClocks();
  ChunkHeader header{};
  header.kind = kind;
  header.index = next_index_++;
  header.ticks = now.ticks;
  header.monotonic_ns = now.monotonic_ns;
  header.realtime_ns = now.realtime_ns;
  header.first_sequence = next_sequence_;
  header.first_counter = next_counter_;
  header.dropped = dropped_.load(std::memory_order_relaxed);
  header.lost_bytes = held_ != nullptr ? held_->lost_bytes() : 0;
  header.process = config_.process;
  header.thread = config_.thread;
  return header;
}

}  // namespace edgewise
