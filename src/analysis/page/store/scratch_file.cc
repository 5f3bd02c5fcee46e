#include "analysis/page/store/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

// -1: there is none, see errno.
int OpenUnnamed(const std::string& directory) {
  const int fd =
      open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  // Not every file system has files without a name.
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return fd;
  }
  std::string path = absl::StrCat(directory, "/.edgewise-XXXXXX");
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ScratchFile>> ScratchFile::Create(
    std::span<const std::string> directories) {
  std::string message = "cannot make a file for what memory has no room for";
  for (const std::string& directory : directories) {
    const int fd = OpenUnnamed(directory);
    if (fd >= 0) {
      return std::unique_ptr<ScratchFile>(new ScratchFile(fd, directory));
    }
    absl::StrAppend(&message, "; in ", directory, ": ", std::strerror(errno));
  }
  return absl::UnavailableError(message);
}

ScratchFile::~ScratchFile() { close(fd_); }

uint64_t ScratchFile::Append(std::string_view bytes) {
  const uint64_t at = size();
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) Flush().IgnoreError();  // It is kept.
  return at;
}

absl::Status ScratchFile::Flush() {
  size_t done = 0;
  while (status_.ok() && done < buffer_.size()) {
    const ssize_t count =
        pwrite(fd_, buffer_.data() + done, buffer_.size() - done,
               static_cast<off_t>(written_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      status_ = absl::UnavailableError(absl::StrCat(
          "cannot write to a file in ", directory_, ": ", std::strerror(errno),
          " (", size() / 1'000'000, " MB were needed so far)"));
      break;
    }
    done += static_cast<size_t>(count);
  }
  written_ += buffer_.size();
  buffer_.clear();
  return status_;
}

absl::Status ScratchFile::Read(uint64_t at, size_t count, char* bytes) const {
  size_t done = 0;
  while (done < count) {
    const ssize_t got =
        pread(fd_, bytes + done, count - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot read from a file in ", directory_, ": ",
                       got == 0 ? "it is too short" : std::strerror(errno)));
    }
    done += static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

}  // namespace edgewise
