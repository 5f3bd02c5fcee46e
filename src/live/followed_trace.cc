#include "live/followed_trace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "trace/crc32c.h"

namespace edgewise {
namespace {

bool ReadFully(int fd, uint64_t offset, void* buffer, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t count = pread(fd, static_cast<char*>(buffer) + done,
                                size - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool IsGood(const ChunkHeader& header) {
  return header.magic == kChunkMagic &&
         header.payload_bytes <= kMaxChunkPayload &&
         header.header_crc ==
             Crc32c(&header, offsetof(ChunkHeader, header_crc));
}

// Says what was lost, and is replaced by the next chunk that is written
// (ChunkWriter::Append).
bool IsPreliminary(const ChunkHeader& header) {
  return header.kind == ChunkKind::kRecords && header.payload_bytes == 0;
}

bool BeginsAnew(const ChunkHeader& header) {
  return header.kind == ChunkKind::kMeta && header.index == 0;
}

uint64_t SizeOf(const ChunkHeader& header) {
  return sizeof(header) + header.payload_bytes;
}

std::string HeldFile(const std::string& trace, int generation) {
  return absl::StrCat(std::filesystem::path(trace).replace_extension().string(),
                      ".held", generation);
}

}  // namespace

FollowedTrace::GrowingFile::~GrowingFile() {
  if (fd_ >= 0) close(fd_);
}

bool FollowedTrace::GrowingFile::Open() {
  fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd_ < 0 || fstat(fd_, &info) != 0) return false;
  inode_ = info.st_ino;
  position_ = 0;
  return true;
}

// A damaged header ends what is read of the file until it is another one.
bool FollowedTrace::GrowingFile::ReadWhole(uint64_t offset,
                                           ChunkHeader* header) const {
  struct stat info;
  return fd_ >= 0 && fstat(fd_, &info) == 0 &&
         offset + sizeof(*header) <= static_cast<uint64_t>(info.st_size) &&
         ReadFully(fd_, offset, header, sizeof(*header)) && IsGood(*header) &&
         offset + SizeOf(*header) <= static_cast<uint64_t>(info.st_size);
}

bool FollowedTrace::GrowingFile::Peek(uint64_t next, ChunkHeader* header) {
  found_ = position_;
  while (ReadWhole(found_, header)) {
    if (header->index >= next || BeginsAnew(*header)) return true;
    found_ += SizeOf(*header);
    if (!IsPreliminary(*header)) position_ = found_;
  }
  return false;
}

bool FollowedTrace::GrowingFile::PeekAnew(uint64_t next, ChunkHeader* header) {
  if (Peek(next, header)) return true;
  struct stat info;
  const bool there = stat(path_.c_str(), &info) == 0;
  if (there && fd_ >= 0 && info.st_ino == inode_) return false;
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  return there && Open() && Peek(next, header);
}

bool FollowedTrace::GrowingFile::Take(const ChunkHeader& header,
                                      std::string* bytes) {
  bytes->resize(SizeOf(header));
  if (!ReadFully(fd_, found_, bytes->data(), bytes->size()) ||
      std::memcmp(bytes->data(), &header, sizeof(header)) != 0) {
    return false;
  }
  position_ = IsPreliminary(header) ? found_ : found_ + SizeOf(header);
  return true;
}

FollowedTrace::FollowedTrace(const std::string& path)
    : trace_(path),
      held_{GrowingFile(HeldFile(path, 0)), GrowingFile(HeldFile(path, 1))} {}

FollowedTrace::~FollowedTrace() = default;

absl::StatusOr<std::unique_ptr<FollowedTrace>> FollowedTrace::Open(
    const std::string& path) {
  auto followed = std::unique_ptr<FollowedTrace>(new FollowedTrace(path));
  if (!followed->trace_.Open()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  }
  return followed;
}

void FollowedTrace::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool FollowedTrace::TakeFrom(GrowingFile* file, const ChunkHeader& header) {
  std::string bytes;
  if (!file->Take(header, &bytes)) return false;
  begin_ += window_.size();
  read_to_ = begin_;
  window_ = std::move(bytes);
  next_ = header.index + 1;
  ended_ = header.kind == ChunkKind::kEnd;
  return true;
}

// False: none is there yet. A dump moves what is held into the trace, so that
// that comes first; what was held there is passed by its number.
bool FollowedTrace::FetchNext() {
  ChunkHeader header;
  if (trace_.Peek(next_, &header)) return TakeFrom(&trace_, header);
  GrowingFile* earliest = nullptr;
  ChunkHeader found;
  for (GrowingFile& file : held_) {
    if (!file.PeekAnew(next_, &header)) continue;
    if (earliest != nullptr && found.index <= header.index) continue;
    earliest = &file;
    found = header;
  }
  return earliest != nullptr && TakeFrom(earliest, found);
}

uint64_t FollowedTrace::size() {
  while (read_to_ >= begin_ + window_.size() && !ended_) {
    std::unique_lock lock(mutex_);
    if (closed_) break;
    lock.unlock();
    if (FetchNext()) break;
    lock.lock();
    changed_.wait_for(lock, std::chrono::milliseconds(kPollMs),
                      [this] { return closed_; });
  }
  return begin_ + window_.size();
}

size_t FollowedTrace::ReadAt(uint64_t offset, void* buffer, size_t size) {
  const uint64_t end = begin_ + window_.size();
  if (offset < begin_ || offset >= end) return 0;
  size = std::min<uint64_t>(size, end - offset);
  std::memcpy(buffer, window_.data() + (offset - begin_), size);
  read_to_ = std::max(read_to_, offset + size);
  return size;
}

}  // namespace edgewise
