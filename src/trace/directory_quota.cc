#include "trace/directory_quota.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

constexpr char kUnrecorded[] = ".edgewise-unrecorded";
constexpr uint64_t kMostUnrecorded = 1 << 16;

// A page of the disk, unless there are so few or so many of them.
uint64_t StepOf(uint64_t max_bytes) {
  constexpr uint64_t kPage = 4096;
  constexpr uint64_t kFewest = 64;
  if (max_bytes < kFewest * kPage) {
    return std::max<uint64_t>(64, max_bytes / kFewest);
  }
  return std::max<uint64_t>(kPage, max_bytes >> 20);
}

uint64_t StepsOf(uint64_t bytes, uint64_t step) {
  return bytes / step + (bytes % step != 0 ? 1 : 0);
}

// By all trace files of the directory, each in whole steps.
uint64_t StepsIn(const std::string& directory, uint64_t step) {
  uint64_t steps = 0;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  for (const auto end = std::filesystem::directory_iterator();
       !error && entries != end; entries.increment(error)) {
    if (entries->path().extension() != ".ewt") continue;
    std::error_code gone;
    const uintmax_t bytes = entries->file_size(gone);
    if (!gone) steps += StepsOf(bytes, step);
  }
  return steps;
}

bool IsRemoved(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_nlink == 0;
}

}  // namespace

DirectoryQuota::DirectoryQuota(const std::string& directory, uint64_t max_bytes)
    : max_bytes_(max_bytes),
      step_(StepOf(max_bytes)),
      // Who has another quota counts for itself.
      ledger_(absl::StrCat(directory, "/.edgewise-quota-", max_bytes)) {
  Open(directory);
}

DirectoryQuota::DirectoryQuota(DirectoryQuota&& other) noexcept
    : max_bytes_(other.max_bytes_),
      step_(other.step_),
      taken_(other.taken_),
      used_(other.used_),
      ledger_(std::move(other.ledger_)),
      fd_(std::exchange(other.fd_, -1)) {}

DirectoryQuota::~DirectoryQuota() {
  if (fd_ < 0) return;
  if (flock(fd_, LOCK_EX | LOCK_NB) == 0) unlink(ledger_.c_str());
  close(fd_);
}

void DirectoryQuota::Open(const std::string& directory) {
  constexpr int kAttempts = 20;
  constexpr timespec kPause{0, 1'000'000};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fd_ = open(ledger_.c_str(),
               O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd_ < 0) return;
    const bool alone = flock(fd_, LOCK_EX | LOCK_NB) == 0;
    const bool locked =
        alone || (errno == EWOULDBLOCK && flock(fd_, LOCK_SH | LOCK_NB) == 0);
    // Another one counts, or removes it, at this moment.
    const bool again = (!locked && errno == EWOULDBLOCK) || IsRemoved(fd_);
    if (!again && (!alone || CountAnew(directory))) return;
    close(fd_);
    fd_ = -1;
    if (!again) return;
    nanosleep(&kPause, nullptr);
  }
}

bool DirectoryQuota::CountAnew(const std::string& directory) {
  if (ftruncate(fd_, 0) != 0) return false;
  const uint64_t steps = StepsIn(directory, step_);
  // More than the quota is as much as the quota.
  const uint64_t most = max_bytes_ / step_;
  if (!Append(std::min(steps, most))) return false;
  flock(fd_, LOCK_SH | LOCK_NB);
  return true;
}

bool DirectoryQuota::Append(uint64_t steps) {
  const std::vector<char> marks(steps, '.');
  return write(fd_, marks.data(), marks.size()) ==
         static_cast<ssize_t>(marks.size());
}

bool DirectoryQuota::Take(uint64_t bytes) {
  if (used_ + bytes > max_bytes_) return false;
  if (step_ == 0 || used_ + bytes <= taken_) {
    used_ += bytes;
    return true;
  }
  const uint64_t steps = StepsOf(used_ + bytes - taken_, step_);
  struct stat info;
  if (fd_ >= 0 && fstat(fd_, &info) == 0) {
    const uint64_t most = max_bytes_ / step_;
    if (static_cast<uint64_t>(info.st_size) + steps > most) return false;
    if (Append(steps)) {
      const off_t end = lseek(fd_, 0, SEEK_CUR);
      // Others have taken the rest meanwhile.
      if (end >= 0 && static_cast<uint64_t>(end) > most) return false;
    } else {
      close(fd_);
      fd_ = -1;
    }
  }
  taken_ += steps * step_;
  used_ += bytes;
  return true;
}

void NoteUnrecordedThread(const std::string& directory) {
  const std::string path = absl::StrCat(directory, "/", kUnrecorded);
  if (UnrecordedThreads(directory) >= kMostUnrecorded) return;
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
           0600);
  if (fd < 0) return;
  const ssize_t written = write(fd, ".", 1);
  static_cast<void>(written);  // a full disk: then it is not counted
  close(fd);
}

uint64_t UnrecordedThreads(const std::string& directory) {
  struct stat info;
  const std::string path = absl::StrCat(directory, "/", kUnrecorded);
  return stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size)
                                        : 0;
}

}  // namespace edgewise
