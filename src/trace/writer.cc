#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/crc32c.h"

namespace edgewise {
namespace {

std::string Size(uint64_t bytes) {
  constexpr uint64_t kMb = uint64_t{1} << 20;
  return bytes >= kMb ? absl::StrCat(bytes / kMb, " MB")
                      : absl::StrCat(bytes, " bytes");
}

// Writes all of `parts`; false with errno set when the kernel takes no more.
bool WriteAll(int fd, iovec* parts, int count) {
  while (count > 0) {
    const ssize_t n = writev(fd, parts, count);
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    size_t left = static_cast<size_t>(n);
    while (count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --count;
    }
    if (count == 0) break;
    parts->iov_base = static_cast<char*>(parts->iov_base) + left;
    parts->iov_len -= left;
  }
  return true;
}

}  // namespace

absl::StatusOr<ChunkWriter> ChunkWriter::Open(const std::string& path,
                                              uint64_t max_bytes) {
  const std::string directory =
      std::filesystem::path(path).parent_path().string();
  return OpenFor(
      path, DirectoryQuota(directory.empty() ? "." : directory, max_bytes));
}

absl::StatusOr<ChunkWriter> ChunkWriter::OpenUnbounded(
    const std::string& path) {
  return OpenFor(path, DirectoryQuota());
}

absl::StatusOr<ChunkWriter> ChunkWriter::OpenFor(const std::string& path,
                                                 DirectoryQuota quota) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
           0600);
  if (fd < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", path));
  }
  struct stat info;
  if (fstat(fd, &info) != 0) {
    const int error = errno;
    close(fd);
    return absl::ErrnoToStatus(error, absl::StrCat("cannot append to ", path));
  }
  // Readers ask by it whether somebody still writes; see analysis/trace_set.
  flock(fd, LOCK_EX | LOCK_NB);
  return ChunkWriter(path, fd, std::move(quota),
                     static_cast<uint64_t>(info.st_size));
}

ChunkWriter::ChunkWriter(ChunkWriter&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      quota_(std::move(other.quota_)),
      written_bytes_(other.written_bytes_),
      lost_bytes_(other.lost_bytes_),
      said_(other.said_) {}

ChunkWriter::~ChunkWriter() {
  if (fd_ >= 0) close(fd_);
}

absl::Status ChunkWriter::Append(ChunkHeader header, const void* payload,
                                 uint32_t payload_bytes, uint32_t kept_bytes) {
  const uint64_t lost_if_refused = payload_bytes - kept_bytes;
  if (payload_bytes > kMaxChunkPayload) {
    lost_bytes_ += lost_if_refused;
    SayLost(header);
    return absl::ResourceExhaustedError(absl::StrCat(
        "a chunk of ", payload_bytes, " bytes is more than a trace holds"));
  }
  // The orderly end, which carries the final counts, is beyond the quota.
  if (payload_bytes > 0 && !quota_.Take(sizeof(header) + payload_bytes)) {
    lost_bytes_ += lost_if_refused;
    SayLost(header);
    return absl::ResourceExhaustedError(
        absl::StrCat("the quota of ", Size(quota_.max_bytes()), " is used up"));
  }
  RemoveSaid();
  if (Write(header, payload, payload_bytes)) return absl::OkStatus();
  const int error = errno;
  lost_bytes_ += lost_if_refused;
  SayLost(header);
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path_));
}

// False, with errno: nothing was written.
bool ChunkWriter::Write(ChunkHeader header, const void* payload,
                        uint32_t payload_bytes) {
  header.magic = kChunkMagic;
  header.version = kTraceVersion;
  header.payload_bytes = payload_bytes;
  header.payload_crc = Crc32c(payload, payload_bytes);
  header.lost_bytes += lost_bytes_;
  header.reserved = 0;
  header.header_crc = Crc32c(&header, offsetof(ChunkHeader, header_crc));
  iovec parts[2] = {{&header, sizeof(header)},
                    {const_cast<void*>(payload), payload_bytes}};
  if (WriteAll(fd_, parts, payload_bytes > 0 ? 2 : 1)) {
    written_bytes_ += sizeof(header) + payload_bytes;
    return true;
  }
  const int error = errno;
  const int cut = ftruncate(fd_, static_cast<off_t>(written_bytes_));
  static_cast<void>(cut);  // readers skip what stays
  errno = error;
  return false;
}

// `header` is that of a chunk which is lost.
void ChunkWriter::SayLost(ChunkHeader header) {
  RemoveSaid();
  header.kind = ChunkKind::kRecords;
  const uint64_t written = written_bytes_;
  said_ = Write(header, nullptr, 0);
  written_bytes_ = written;
}

void ChunkWriter::RemoveSaid() {
  if (!said_) return;
  said_ = false;
  // Else it stays where it is, as good as any chunk.
  if (ftruncate(fd_, static_cast<off_t>(written_bytes_)) != 0) {
    written_bytes_ += sizeof(ChunkHeader);
  }
}

}  // namespace edgewise
