#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "platform/termination.h"
#include "platform/thread.h"
#include "recorder/held_chunks.h"
#include "recorder/ring.h"
#include "trace/chunk.h"
#include "trace/writer.h"

namespace edgewise {

enum class RecordingMode {
  kStream,  // every chunk goes to the file
  kFlight,  // chunks are held, the oldest make room; Dump() writes them
};

struct RecorderConfig {
  std::string path;       // the trace file
  std::string meta_json;  // payload of the meta chunk
  RecordingMode mode = RecordingMode::kStream;
  // Of all that records into the directory: in its files; in flight mode held.
  uint64_t max_bytes = uint64_t{1} << 30;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t first_sequence = 1;            // of the first event
  size_t ring_records = size_t{1} << 17;  // 4 MB; a power of two
  int flush_ms = 100;
};

struct RecorderStats {
  uint64_t dropped;     // records that found a ring full
  uint64_t lost_bytes;  // bytes that could not be written
  uint64_t written_bytes;
};

// Records one thread's events: its ring, and the drain thread that moves the
// ring into chunks. The push functions belong to the recorded thread; they
// never allocate, lock or block.
class Recorder {
 public:
  // Creates the file, writes the meta chunk, starts the drain thread. Fails
  // where one of them cannot be done.
  static absl::StatusOr<std::unique_ptr<Recorder>> Start(RecorderConfig config);

  // Stops as Stop() does.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Appends a record that lies inside an event (slice, GC, request):
  // `fill(Record&)` sets the fields that are not 0.
  template <typename Fill>
  void PushInner(Fill fill) {
    if (lost_ != 0 || !ring_.Push(fill)) [[unlikely]]
      ++lost_;
  }

  // Appends an event. `next_sequence` is the number that the next event takes:
  // a loss is closed only here, where the numbering is known again.
  template <typename Fill>
  void PushEvent(uint64_t next_sequence, Fill fill) {
    if (lost_ == 0 && ring_.Push(fill)) [[likely]]
      return;
    Record record{};
    fill(record);
    PushEventAfterLoss(record, next_sequence);
  }

  // Records that others have dropped before they reached the ring.
  void CountDropped(uint64_t count) {
    dropped_.fetch_add(count, std::memory_order_relaxed);
  }

  // The id under which `text` stands in the string table. Allocates and locks:
  // for the few distinct routes of a server, not for events.
  uint32_t InternString(std::string_view text);

  uint32_t thread() const { return config_.thread; }

  // Recorded thread: the string of an id, until the next InternString(); empty:
  // there is none.
  const char* StringOf(uint32_t id) const {
    // It alone writes them.
    return id == 0 || id > strings_.size() ? "" : strings_[id - 1].c_str();
  }

  // Flight mode: writes the chunks that are held to the file, and forgets
  // them. Stream mode: flushes. Blocks until written.
  absl::Status Dump();

  // Like Dump(), but returns at once, and writes the running event as well,
  // when it has ended; for the recorded thread's hot path.
  void RequestDump() {
    dump_wanted_.store(ring_.pushed(), std::memory_order_relaxed);
  }

  // Writes what is left and the end chunk; further records are refused. In
  // flight mode it dumps first. Idempotent.
  void Stop();

  RecorderStats stats() const;

  // Recorded thread: the processor that it is on, which the drain thread
  // leaves.
  void LoopRunsOn(int cpu) { evasion_.Avoid(cpu); }

 private:
  Recorder(RecorderConfig config, ChunkWriter writer);

  void PushEventAfterLoss(const Record& record, uint64_t next_sequence);
  void DrainLoop();
  bool RequestedIsDrained();
  void FlushForTermination();
  void CutChunks(bool final);
  bool CutChunk(bool final);
  void CutOverdue();
  size_t WholeEvents(size_t readable) const;
  void AdvanceNumbering(const std::vector<Record>& records);
  void Emit(ChunkHeader header, std::vector<Record> records);
  void WriteHeld();
  void WriteChunk(const ChunkHeader& header, const std::vector<Record>& records,
                  size_t strings = 0);
  void Note(const absl::Status& status);
  std::vector<Record> TakeNewStrings();
  ChunkHeader NewHeader(ChunkKind kind);

  const RecorderConfig config_;
  Ring ring_;

  // Recorded thread only.
  uint64_t lost_ = 0;  // records dropped since the last kLoss record

  // Written by the recorded thread, read by the drain thread, which clears the
  // request; relaxed: counts.
  std::atomic<uint64_t> dropped_{0};
  // What was pushed when a dump was requested; 0: none is.
  std::atomic<uint64_t> dump_wanted_{0};

  // Under strings_mutex_: written by the recorded thread, read by the drain.
  std::mutex strings_mutex_;
  absl::flat_hash_map<std::string, uint32_t> string_ids_;
  std::vector<std::string> strings_;
  size_t strings_written_ = 0;   // to where the next chunk goes
  size_t strings_in_trace_ = 0;  // flight mode: of those, by dumps

  // Drain thread only (and Stop(), after it has joined that thread).
  ChunkWriter writer_;
  std::unique_ptr<HeldChunks> held_;  // null: stream mode
  uint64_t next_index_ = 0;
  uint64_t events_popped_ = 0;  // records, up to the end of the last event
  uint64_t next_sequence_;
  uint64_t next_counter_ = 0;
  Evasion evasion_;  // of the recorded thread

  // Written by the drain thread, read by anyone; relaxed: counts.
  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<uint64_t> lost_bytes_{0};

  // Under mutex_: the commands to the drain thread.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable dumped_;
  bool stopping_ = false;
  uint64_t dumps_asked_ = 0;
  uint64_t dumps_done_ = 0;
  absl::Status dump_status_;

  TerminationWatch termination_;
  HelperThread drain_;
};

}  // namespace edgewise
