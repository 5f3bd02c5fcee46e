#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
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

// The orderly end of a trace may use this much beyond the quota: a chunk
// without payload that carries the final counts.
constexpr uint64_t kReserveBytes = 4096;

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
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", path));
  }
  const off_t end = lseek(fd, 0, SEEK_END);
  if (end < 0) {
    const int error = errno;
    close(fd);
    return absl::ErrnoToStatus(error, absl::StrCat("cannot append to ", path));
  }
  return ChunkWriter(path, fd, max_bytes, static_cast<uint64_t>(end));
}

ChunkWriter::ChunkWriter(ChunkWriter&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      max_bytes_(other.max_bytes_),
      written_bytes_(other.written_bytes_),
      lost_bytes_(other.lost_bytes_) {}

ChunkWriter::~ChunkWriter() {
  if (fd_ >= 0) close(fd_);
}

absl::Status ChunkWriter::Append(ChunkHeader header, const void* payload,
                                 uint32_t payload_bytes, uint32_t kept_bytes) {
  const uint64_t lost_if_refused = payload_bytes - kept_bytes;
  if (payload_bytes > kMaxChunkPayload) {
    lost_bytes_ += lost_if_refused;
    return absl::ResourceExhaustedError(absl::StrCat(
        "a chunk of ", payload_bytes, " bytes is more than a trace holds"));
  }
  const uint64_t bytes = sizeof(header) + payload_bytes;
  const uint64_t limit =
      payload_bytes == 0 ? max_bytes_ + kReserveBytes : max_bytes_;
  if (written_bytes_ + bytes > limit) {
    lost_bytes_ += lost_if_refused;
    return absl::ResourceExhaustedError(
        absl::StrCat("the quota of ", Size(max_bytes_), " is used up"));
  }
  header.magic = kChunkMagic;
  header.version = kTraceVersion;
  header.payload_bytes = payload_bytes;
  header.payload_crc = Crc32c(payload, payload_bytes);
  header.lost_bytes = lost_bytes_;
  header.reserved = 0;
  header.header_crc = Crc32c(&header, offsetof(ChunkHeader, header_crc));
  iovec parts[2] = {{&header, sizeof(header)},
                    {const_cast<void*>(payload), payload_bytes}};
  if (WriteAll(fd_, parts, payload_bytes > 0 ? 2 : 1)) {
    written_bytes_ += bytes;
    return absl::OkStatus();
  }
  const int error = errno;
  lost_bytes_ += lost_if_refused;
  if (ftruncate(fd_, static_cast<off_t>(written_bytes_)) == 0) {
    lseek(fd_, static_cast<off_t>(written_bytes_), SEEK_SET);
  }
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path_));
}

}  // namespace edgewise
