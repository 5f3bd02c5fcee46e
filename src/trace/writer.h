#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trace/chunk.h"
#include "trace/directory_quota.h"

namespace edgewise {

// Writes the chunks of one trace file. Not thread-safe: the drain thread owns
// it. A failed write never leaves a torn chunk in the middle of the file: the
// file is cut back to its last whole chunk, and the bytes count as lost.
class ChunkWriter {
 public:
  // Creates `path` (mode 0600; its directory must exist), or goes on at the end
  // of a file of this process. All trace files of its directory together have
  // at most `max_bytes` (DirectoryQuota).
  static absl::StatusOr<ChunkWriter> Open(const std::string& path,
                                          uint64_t max_bytes);
  static absl::StatusOr<ChunkWriter> OpenUnbounded(const std::string& path);

  ChunkWriter(ChunkWriter&& other) noexcept;
  ChunkWriter& operator=(ChunkWriter&&) = delete;
  ~ChunkWriter();

  // Fills in magic, version, payload size and checksums of `header`, adds to
  // its lost bytes, and appends the chunk. ResourceExhausted: the quota is used
  // up, the disk is full, or the payload is larger than kMaxChunkPayload; the
  // chunk is counted in lost_bytes(), but for `kept_bytes` of it: the caller
  // still has them, and writes them another time. What is lost is said at the
  // end of the file until something else is written there, however the process
  // ends.
  absl::Status Append(ChunkHeader header, const void* payload,
                      uint32_t payload_bytes, uint32_t kept_bytes = 0);

  uint64_t written_bytes() const { return written_bytes_; }
  uint64_t lost_bytes() const { return lost_bytes_; }

 private:
  ChunkWriter(std::string path, int fd, DirectoryQuota quota, uint64_t written)
      : path_(std::move(path)),
        fd_(fd),
        quota_(std::move(quota)),
        written_bytes_(written) {}

  static absl::StatusOr<ChunkWriter> OpenFor(const std::string& path,
                                             DirectoryQuota quota);
  bool Write(ChunkHeader header, const void* payload, uint32_t payload_bytes);
  void SayLost(ChunkHeader header);
  void RemoveSaid();

  std::string path_;
  int fd_;
  DirectoryQuota quota_;
  uint64_t written_bytes_;
  uint64_t lost_bytes_ = 0;
  bool said_ = false;  // a chunk that says what is lost ends the file
};

}  // namespace edgewise
