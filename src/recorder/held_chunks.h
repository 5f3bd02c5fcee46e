#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "trace/chunk.h"
#include "trace/writer.h"

namespace edgewise {

// The latest chunks of a thread in flight mode, kept until they are asked for.
// They lie in two files beside the trace, `<pid>-<thread>.held0` and `.held1`,
// so that they outlive a process that is killed: the kernel has them, and
// mostly no disk has yet. One is appended to; when it has grown to half of what
// may be held, the other one, whose chunks are older, is begun anew. A report
// reads them after the trace of a process that is gone.
//
// What all threads and processes of the directory hold is bounded: each has an
// equal share. Drain thread only.
class HeldChunks {
 public:
  // For the trace file `path`. Creates nothing yet.
  HeldChunks(const std::string& path, uint64_t max_bytes);
  ~HeldChunks() { Forget(); }
  HeldChunks(const HeldChunks&) = delete;
  HeldChunks& operator=(const HeldChunks&) = delete;

  // Makes room for a chunk of `payload_bytes`. True: it will be a file's first,
  // and the strings that its records name have to come with it.
  bool MakeRoom(uint64_t payload_bytes);

  // ResourceExhausted and others as ChunkWriter::Append.
  absl::Status Append(ChunkHeader header, const void* payload,
                      uint32_t payload_bytes, uint32_t kept_bytes);

  // Appends all chunks to `writer`, the oldest first, and forgets them. The
  // first error.
  absl::Status MoveTo(ChunkWriter* writer);

  // Bytes that could not be kept.
  uint64_t lost_bytes() const {
    return lost_bytes_ + (current_ ? current_->lost_bytes() : 0);
  }

 private:
  std::string FileOf(int generation) const;
  uint64_t Share() const;
  void CloseCurrent();
  void Forget();
  absl::Status MoveFile(const std::string& file, ChunkWriter* writer);

  const std::string base_;  // the trace file, less its extension
  const uint64_t max_bytes_;
  int generation_ = 0;  // of the file that is appended to
  std::optional<ChunkWriter> current_;
  uint64_t lost_bytes_ = 0;  // of files before it
};

}  // namespace edgewise
