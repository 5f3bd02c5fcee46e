#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace edgewise {

// A file that is written from begin to end. It is created with mode 0600, or
// emptied: routes are the user's business.
class OutputFile {
 public:
  // `what`: "the requests". Unavailable, with the file's name: it cannot be
  // written.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(
      const std::string& path, const char* what);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Append to this, and call Added() after each piece.
  std::string& buffer() { return buffer_; }
  void Added() {
    if (buffer_.size() >= kBufferBytes) Flush();
  }

  // Writes what is buffered. The first error of any write.
  absl::Status Close();

 private:
  static constexpr size_t kBufferBytes = 256 << 10;

  OutputFile(std::string path, const char* what, int fd)
      : path_(std::move(path)), what_(what), fd_(fd) {}
  void Flush();

  const std::string path_;
  const char* const what_;
  int fd_;
  std::string buffer_;
  absl::Status status_;
};

}  // namespace edgewise
