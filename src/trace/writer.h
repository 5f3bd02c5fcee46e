#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trace/chunk.h"

namespace edgewise {

// Writes the chunks of one trace file. Not thread-safe: the drain thread owns
// it. A failed write never leaves a torn chunk in the middle of the file: the
// file is cut back to its last whole chunk, and the bytes count as lost.
class ChunkWriter {
 public:
  // Creates `path` (mode 0600; its directory must exist), or goes on at the end
  // of a file of this process. At most `max_bytes` are written.
  static absl::StatusOr<ChunkWriter> Open(const std::string& path,
                                          uint64_t max_bytes);

  ChunkWriter(ChunkWriter&& other) noexcept;
  ChunkWriter& operator=(ChunkWriter&&) = delete;
  ~ChunkWriter();

  // Fills in magic, version, payload size, lost bytes and checksums of `header`
  // and appends the chunk. ResourceExhausted: the quota is used up, the disk is
  // full, or the payload is larger than kMaxChunkPayload; the chunk is counted
  // in lost_bytes(), but for `kept_bytes` of it: the caller still has them, and
  // writes them another time.
  absl::Status Append(ChunkHeader header, const void* payload,
                      uint32_t payload_bytes, uint32_t kept_bytes = 0);

  uint64_t written_bytes() const { return written_bytes_; }
  uint64_t lost_bytes() const { return lost_bytes_; }

 private:
  ChunkWriter(std::string path, int fd, uint64_t max_bytes, uint64_t written)
      : path_(std::move(path)),
        fd_(fd),
        max_bytes_(max_bytes),
        written_bytes_(written) {}

  std::string path_;
  int fd_;
  uint64_t max_bytes_;
  uint64_t written_bytes_;
  uint64_t lost_bytes_ = 0;
};

}  // namespace edgewise
