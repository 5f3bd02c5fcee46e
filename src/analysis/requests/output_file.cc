#include "analysis/requests/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

absl::Status OutputError(const char* what, const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat("cannot write ", what, " to ",
                                             path, ": ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(
    const std::string& path, const char* what) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return OutputError(what, path, errno);
  return std::unique_ptr<OutputFile>(new OutputFile(path, what, fd));
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
}

void OutputFile::Flush() {
  size_t done = 0;
  while (status_.ok() && done < buffer_.size()) {
    const ssize_t count =
        write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      status_ = OutputError(what_, path_, errno);
      break;
    }
    done += static_cast<size_t>(count);
  }
  buffer_.clear();
}

absl::Status OutputFile::Close() {
  Flush();
  if (close(fd_) != 0 && status_.ok()) {
    status_ = OutputError(what_, path_, errno);
  }
  fd_ = -1;
  return status_;
}

}  // namespace edgewise
