#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace edgewise {

// A file without a name, for what memory has no room for: nothing is left of
// it, however the process ends.
class ScratchFile {
 public:
  // In the first of `directories` that can hold one. Unavailable: none can.
  static absl::StatusOr<std::unique_ptr<ScratchFile>> Create(
      std::span<const std::string> directories);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Returns the place of the bytes. Errors are kept: Flush() tells them.
  uint64_t Append(std::string_view bytes);
  // Writes what is buffered. The first error of any write.
  absl::Status Flush();
  // Of what has been flushed; several threads may read.
  absl::Status Read(uint64_t at, size_t count, char* bytes) const;

  uint64_t size() const { return written_ + buffer_.size(); }

 private:
  ScratchFile(int fd, std::string directory)
      : fd_(fd), directory_(std::move(directory)) {}

  const int fd_;
  const std::string directory_;
  std::string buffer_;
  uint64_t written_ = 0;
  absl::Status status_;
};

}  // namespace edgewise
