#include "hooks/work_names.h"

#include <dirent.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace edgewise {
namespace {

constexpr int kMostFds = 1 << 16;
constexpr size_t kLongestPath = 1024;
// Times that files were opened, by number. Written by any thread. Relaxed: who
// is told of a descriptor is told after it was opened, through the pool's lock.
std::atomic<uint32_t> opened[kMostFds];

uint32_t OpenedTimes(int fd) {
  return opened[fd].load(std::memory_order_relaxed);
}

// The path that a descriptor is open on, as the kernel tells; what is no file
// has none.
std::string_view PathOfFd(int fd, char* path, size_t room) {
  char link[32] = "/proc/self/fd/";
  char* const digits = link + std::strlen(link);
  *std::to_chars(digits, link + sizeof(link) - 1, fd).ptr = '\0';
  const ssize_t length = readlink(link, path, room);
  if (length <= 0 || path[0] != '/') return {};
  return {path, static_cast<size_t>(length)};
}

}  // namespace

void NoteFileOpened(int fd) {
  if (fd < 0 || fd >= kMostFds) return;
  opened[fd].fetch_add(1, std::memory_order_relaxed);
}

void WorkNames::Free::operator()(OpenFile* files) const { std::free(files); }

WorkNames::WorkNames(Recorder* recorder, bool whole_paths, HostNames* hosts)
    : recorder_(recorder),
      places_(recorder, whole_paths),
      hosts_(hosts),
      by_fd_(static_cast<OpenFile*>(std::calloc(kMaxFds, sizeof(OpenFile)))) {
  static_assert(kMaxFds == kMostFds);
}

uint32_t WorkNames::NameOf(const uv_fs_t* request) {
  if (request->path != nullptr) {
    const uint32_t name = places_.NameOf(request->path);
    if (request->fs_type == UV_FS_OPEN && request->result >= 0) {
      NoteOpened(static_cast<int>(request->result), name);
    }
    return name;
  }
  switch (request->fs_type) {
    case UV_FS_CLOSE:
      return NameOfClosed(request->file);
    case UV_FS_READ:
    case UV_FS_WRITE:
    case UV_FS_FSTAT:
    case UV_FS_FTRUNCATE:
    case UV_FS_FUTIME:
    case UV_FS_FCHMOD:
    case UV_FS_FCHOWN:
    case UV_FS_FSYNC:
    case UV_FS_FDATASYNC:
      return NameOfFd(request->file);
    case UV_FS_READDIR:
      return NameOfDirectory(static_cast<const uv_dir_t*>(request->ptr));
    default:
      return 0;
  }
}

void WorkNames::NoteOpened(int fd, uint32_t name) {
  if (by_fd_ == nullptr || fd >= kMaxFds) return;
  by_fd_[fd] = {OpenedTimes(fd), name};
}

// Who has opened it elsewhere (fs.openSync(), before recording) has it looked
// up once: a microsecond. Of one that is closed by now nothing is found.
uint32_t WorkNames::NameOfFd(int fd) {
  if (by_fd_ == nullptr || fd < 0 || fd >= kMaxFds) return 0;
  const OpenFile& known = by_fd_[fd];
  if (known.name != 0 && known.opened == OpenedTimes(fd)) return known.name;
  char path[kLongestPath];
  const std::string_view found = PathOfFd(fd, path, sizeof(path));
  if (found.empty()) return 0;
  NoteOpened(fd, places_.NameOf(found));
  return by_fd_[fd].name;
}

// Another that has got the number since is not known yet.
uint32_t WorkNames::NameOfClosed(int fd) {
  if (by_fd_ == nullptr || fd < 0 || fd >= kMaxFds) return 0;
  return std::exchange(by_fd_[fd].name, 0);
}

// Of one that is closed libuv has forgotten which it was.
uint32_t WorkNames::NameOfDirectory(const uv_dir_t* directory) {
  char path[kLongestPath];
  const std::string_view found =
      PathOfFd(dirfd(directory->dir), path, sizeof(path));
  return found.empty() ? 0 : places_.NameOf(found);
}

uint32_t WorkNames::NameOfJob(const NodeJob& job) {
  if (job.kind().empty()) return 0;
  if (job.IsOfFiles()) {
    char path[kLongestPath];
    const std::string_view found = job.PathIn(path, sizeof(path));
    return found.empty() ? 0 : places_.NameOf(found);
  }
  const auto [it, added] = jobs_.try_emplace(job.key(), 0);
  if (added) it->second = recorder_->InternString(job.name());
  return it->second;
}

void WorkNames::Closed(int fd) { NameOfClosed(fd); }

void WorkNames::Learn(const uv_getaddrinfo_t* request) {
  if (request->hostname == nullptr) return;
  for (const addrinfo* one = request->addrinfo; one != nullptr;
       one = one->ai_next) {
    hosts_->Note(one->ai_addr, one->ai_addrlen, request->hostname);
  }
}

}  // namespace edgewise
