#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "trace/chunk.h"
#include "trace/record.h"

// Reads the chunks of one trace file, whatever state the file is in: cut off,
// damaged, foreign or empty. Good chunks are returned in file order; each
// stretch that could not be read is reported with its offset and length, so
// that nothing is lost silently. Holds one chunk in memory at a time.

namespace edgewise {

// Random access to the bytes of a trace: a file, or memory in tests.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() = 0;
  // Copies up to `size` bytes from `offset`; returns how many. Fewer than asked
  // means the end, or a read error, which a reader treats alike.
  virtual size_t ReadAt(uint64_t offset, void* buffer, size_t size) = 0;
};

// Does not own `bytes`.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  uint64_t size() override { return bytes_.size(); }
  size_t ReadAt(uint64_t offset, void* buffer, size_t size) override;

 private:
  std::string_view bytes_;
};

class FileSource : public ByteSource {
 public:
  // Reads at most the first `limit` bytes: two passes over a file that still
  // grows then see the same. NotFound or PermissionDenied name the path.
  static absl::StatusOr<std::unique_ptr<ByteSource>> Open(
      const std::string& path, uint64_t limit = UINT64_MAX);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  uint64_t size() override { return size_; }
  size_t ReadAt(uint64_t offset, void* buffer, size_t size) override;

 private:
  FileSource(int fd, uint64_t size) : fd_(fd), size_(size) {}
  int fd_;
  uint64_t size_;
};

// Something in a trace file that could not be used.
struct Problem {
  std::string file;
  uint64_t offset;  // where in the file
  std::string what;
  uint64_t bytes;  // how much could not be used; 0 where nothing was skipped
};

// The problems of all files of one analysis. Keeps the first `kMaxKept` and
// counts the rest: a file of noise must not fill the memory.
class ProblemLog {
 public:
  static constexpr size_t kMaxKept = 100;
  void Add(Problem problem);
  const std::vector<Problem>& kept() const { return kept_; }
  uint64_t more() const { return more_; }

 private:
  std::vector<Problem> kept_;
  uint64_t more_ = 0;
};

struct Chunk {
  ChunkHeader header;
  uint64_t offset;  // of the header in the file
  // Set if the chunk does not follow the one returned before it: chunks in
  // between are damaged or were never written (flight mode).
  bool gap_before;
  std::string_view bytes;           // the payload; valid until the next call
  std::span<const Record> records;  // the payload of a kRecords chunk
};

class ChunkReader {
 public:
  // `source` and `problems` (may be null) must outlive the reader; `file` is
  // the name that problems carry.
  ChunkReader(ByteSource* source, std::string file, ProblemLog* problems);

  // Returns false at the end of the file.
  bool Next(Chunk* chunk);
  // The header after the chunk that Next() returned last, if a good one follows
  // immediately. Does not move the reader.
  bool PeekHeader(ChunkHeader* header);
  // True if the file was written by a version newer than this one; Next() then
  // returned nothing.
  bool too_new() const { return too_new_; }

 private:
  enum class HeaderState { kGood, kBad, kShort };

  HeaderState ReadHeader(uint64_t offset, ChunkHeader* header);
  bool ReadPayload(const ChunkHeader& header, uint64_t offset);
  // The offset of the next good header at or after `from`, or the file's size.
  uint64_t FindHeader(uint64_t from);
  bool AcceptHeader(const ChunkHeader& header);
  void SkipDamagedPayload(const ChunkHeader& header, uint64_t offset);
  void Report(uint64_t offset, std::string what, uint64_t bytes);

  ByteSource* source_;
  std::string file_;
  ProblemLog* problems_;
  uint64_t position_ = 0;
  uint64_t next_index_ = 0;
  bool started_ = false;
  bool too_new_ = false;
  uint64_t checked_bytes_ = 0;  // payload bytes checked and found damaged
  std::vector<Record> payload_;
};

}  // namespace edgewise
