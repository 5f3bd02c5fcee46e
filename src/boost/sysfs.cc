#include "boost/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace edgewise {
namespace {

constexpr int kAttempts = 4;

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

absl::Status ErrnoStatus(int error, const std::string& what) {
  const bool denied = error == EACCES || error == EPERM || error == EROFS;
  return absl::Status(denied ? absl::StatusCode::kPermissionDenied
                             : absl::StatusCode::kUnavailable,
                      absl::ErrnoToStatus(error, what).message());
}

absl::StatusOr<std::string> ReadValue(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, path);
  std::array<char, 4096> page{};  // sysfs gives at most a page
  ssize_t size;
  do {
    size = read(fd, page.data(), page.size());
  } while (size < 0 && errno == EINTR);
  const int error = errno;
  close(fd);
  if (size < 0) return ErrnoStatus(error, path);
  const absl::string_view text(page.data(), static_cast<size_t>(size));
  return std::string(
      absl::StripAsciiWhitespace(text.substr(0, text.find('\n'))));
}

absl::StatusOr<uint64_t> ReadNumber(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadValue(path);
  if (!text.ok()) return text.status();
  uint64_t number = 0;
  if (!absl::SimpleAtoi(*text, &number)) {
    return absl::UnavailableError(
        absl::StrCat(path, ": \"", *text, "\" is not a number"));
  }
  return number;
}

std::string OtherValue(const Setting& written) {
  if (written.path.empty()) return "";
  std::string now = ReadValue(written.path).value_or("");
  return now == written.value ? "" : now;
}

absl::Status WriteValue(const Setting& setting) {
  const absl::StatusOr<ValueFile> file = ValueFile::Open(setting.path);
  if (!file.ok()) return file.status();
  const int error = file->Write(absl::StrCat(setting.value, "\n"));
  if (error == 0) return absl::OkStatus();
  return ErrnoStatus(error, absl::StrCat(setting.path, " <- ", setting.value));
}

bool ListsWord(const std::string& path, std::string_view word) {
  const absl::StatusOr<std::string> text = ReadValue(path);
  if (!text.ok()) return false;
  const std::vector<std::string> words = absl::StrSplit(*text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> EntriesOf(const std::string& directory,
                                   std::string_view prefix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseDirectory> open(opendir(directory.c_str()));
  if (open == nullptr) return names;
  while (const dirent* entry = readdir(open.get())) {
    if (std::string_view(entry->d_name).starts_with(prefix)) {
      names.emplace_back(entry->d_name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

ValueFile& ValueFile::operator=(ValueFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

absl::StatusOr<ValueFile> ValueFile::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, path);
  return ValueFile(fd);
}

void ValueFile::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

int ValueFile::Write(std::string_view line) const {
  for (int i = 0; i < kAttempts; ++i) {
    const ssize_t size = pwrite(fd_, line.data(), line.size(), 0);
    if (size == static_cast<ssize_t>(line.size())) return 0;
    if (size < 0 && errno != EINTR) return errno;
  }
  return EIO;
}

}  // namespace edgewise
