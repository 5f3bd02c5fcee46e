#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace edgewise {

// A file of sysfs and what is, or shall be, in it.
struct Setting {
  std::string path;
  std::string value;
};

// The file's first line without blanks around it. PermissionDenied,
// Unavailable: with the path and the kernel's reason.
absl::StatusOr<std::string> ReadValue(const std::string& path);

// ReadValue() as a number; Unavailable when it is none.
absl::StatusOr<uint64_t> ReadNumber(const std::string& path);

// What stands in the place of a setting that was written; empty: it does, or it
// cannot be told.
std::string OtherValue(const Setting& written);

// Opens, writes, closes. Errors as those of ReadValue().
absl::Status WriteValue(const Setting& setting);

// Whether a word is in a file that lists words ("userspace powersave");
// false as well when it cannot be read.
bool ListsWord(const std::string& path, std::string_view word);

// The entries of a directory that begin with `prefix`, sorted; none when it
// cannot be read.
std::vector<std::string> EntriesOf(const std::string& directory,
                                   std::string_view prefix);

// A status with the kernel's reason for `what`: PermissionDenied for missing
// rights and read-only file systems, else Unavailable.
absl::Status ErrnoStatus(int error, const std::string& what);

// A file that stays open to be written to again and again.
class ValueFile {
 public:
  ValueFile() = default;
  ~ValueFile() { Close(); }
  ValueFile(ValueFile&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  ValueFile& operator=(ValueFile&& other) noexcept;

  static absl::StatusOr<ValueFile> Open(const std::string& path);

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void Close();

  // Writes `line`, which ends with a newline, in one system call: each write is
  // a request of its own to sysfs, so a value that went in by half is written
  // again from its start. 0, or the errno; EIO: by half each time.
  int Write(std::string_view line) const;

 private:
  explicit ValueFile(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace edgewise
