#include "trace/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "trace/crc32c.h"

namespace edgewise {
namespace {

constexpr size_t kScanBytes = 64 << 10;
// Damaged payloads whose claimed lengths overlap could make the search for the
// next header quadratic; beyond this many bytes checked in vain per byte of the
// file, a header's length is believed instead.
constexpr uint64_t kMaxChecksPerByte = 4;

absl::Status OpenError(const std::string& path, int error) {
  std::string message =
      absl::StrCat("cannot read ", path, ": ", std::strerror(error));
  if (error == ENOENT) return absl::NotFoundError(message);
  if (error == EACCES) return absl::PermissionDeniedError(message);
  return absl::UnavailableError(message);
}

}  // namespace

size_t MemorySource::ReadAt(uint64_t offset, void* buffer, size_t size) {
  if (offset >= bytes_.size()) return 0;
  const size_t count = std::min<uint64_t>(size, bytes_.size() - offset);
  if (count > 0) std::memcpy(buffer, bytes_.data() + offset, count);
  return count;
}

absl::StatusOr<std::unique_ptr<ByteSource>> FileSource::Open(
    const std::string& path, uint64_t limit) {
  // O_NONBLOCK: a FIFO in the place of a trace must not hang the report.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return OpenError(path, errno);
  struct stat info;
  if (fstat(fd, &info) != 0) {
    const int error = errno;
    close(fd);
    return OpenError(path, error);
  }
  if (!S_ISREG(info.st_mode)) {
    close(fd);
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read ", path, ": it is not a regular file"));
  }
  const auto size = std::min<uint64_t>(info.st_size, limit);
  return std::unique_ptr<ByteSource>(new FileSource(fd, size));
}

FileSource::~FileSource() { close(fd_); }

size_t FileSource::ReadAt(uint64_t offset, void* buffer, size_t size) {
  if (offset >= size_) return 0;
  size = std::min<uint64_t>(size, size_ - offset);
  size_t done = 0;
  while (done < size) {
    const ssize_t count = pread(fd_, static_cast<char*>(buffer) + done,
                                size - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

void ProblemLog::Add(Problem problem) {
  if (kept_.size() < kMaxKept) {
    kept_.push_back(std::move(problem));
  } else {
    ++more_;
  }
}

ChunkReader::ChunkReader(ByteSource* source, std::string file,
                         ProblemLog* problems)
    : source_(source), file_(std::move(file)), problems_(problems) {}

void ChunkReader::Report(uint64_t offset, std::string what, uint64_t bytes) {
  if (problems_ == nullptr) return;
  problems_->Add({file_, offset, std::move(what), bytes});
}

ChunkReader::HeaderState ChunkReader::ReadHeader(uint64_t offset,
                                                 ChunkHeader* header) {
  if (source_->ReadAt(offset, header, sizeof(*header)) < sizeof(*header)) {
    return HeaderState::kShort;
  }
  const size_t checked = offsetof(ChunkHeader, header_crc);
  const bool good = header->magic == kChunkMagic &&
                    header->payload_bytes <= kMaxChunkPayload &&
                    header->header_crc == Crc32c(header, checked);
  return good ? HeaderState::kGood : HeaderState::kBad;
}

uint64_t ChunkReader::FindHeader(uint64_t from) {
  const uint64_t size = source_->size();
  std::vector<char> block(kScanBytes);
  while (from + sizeof(ChunkHeader) <= size) {
    const size_t count = source_->ReadAt(from, block.data(), block.size());
    if (count < sizeof(kChunkMagic)) break;
    const std::string_view text(block.data(), count);
    const std::string_view magic(reinterpret_cast<const char*>(&kChunkMagic),
                                 sizeof(kChunkMagic));
    for (size_t at = text.find(magic); at != text.npos;
         at = text.find(magic, at + 1)) {
      ChunkHeader header;
      if (ReadHeader(from + at, &header) == HeaderState::kGood) {
        return from + at;
      }
    }
    // The last three bytes may begin a magic number that the next block ends.
    from += count - (sizeof(kChunkMagic) - 1);
  }
  return size;
}

bool ChunkReader::ReadPayload(const ChunkHeader& header, uint64_t offset) {
  const size_t size = header.payload_bytes;
  const size_t slots = (size + kRecordBytes - 1) / kRecordBytes;
  if (payload_.size() < slots) payload_.resize(slots);
  if (source_->ReadAt(offset + sizeof(header), payload_.data(), size) < size) {
    return false;
  }
  return Crc32c(payload_.data(), size) == header.payload_crc;
}

void ChunkReader::SkipDamagedPayload(const ChunkHeader& header,
                                     uint64_t offset) {
  const uint64_t claimed_end = offset + sizeof(header) + header.payload_bytes;
  checked_bytes_ += header.payload_bytes;
  ChunkHeader next;
  const bool believe = claimed_end == source_->size() ||
                       checked_bytes_ > kMaxChecksPerByte * source_->size() ||
                       ReadHeader(claimed_end, &next) == HeaderState::kGood;
  position_ = believe ? claimed_end : FindHeader(offset + sizeof(header));
  Report(offset,
         absl::StrCat("chunk ", header.index, " is damaged: its ",
                      header.payload_bytes,
                      " payload bytes do not match their checksum"),
         position_ - offset);
}

bool ChunkReader::AcceptHeader(const ChunkHeader& header) {
  if (header.version <= kTraceVersion) return true;
  too_new_ = true;
  Report(position_,
         absl::StrCat("written in trace format ", header.version,
                      "; this version reads formats up to ", kTraceVersion),
         source_->size() - position_);
  position_ = source_->size();
  return false;
}

bool ChunkReader::Next(Chunk* chunk) {
  const uint64_t size = source_->size();
  if (size == 0 && !started_) {
    started_ = true;
    Report(0, "the file is empty", 0);
  }
  while (position_ < size) {
    const uint64_t offset = position_;
    const HeaderState state = ReadHeader(offset, &chunk->header);
    if (state != HeaderState::kGood) {
      position_ = state == HeaderState::kShort ? size : FindHeader(offset + 1);
      const char* what =
          !started_ && position_ == size ? "not an edgewise trace"
          : position_ == size            ? "the file ends inside a chunk header"
                                         : "not a chunk";
      if (state == HeaderState::kBad && started_ && position_ == size) {
        what = "not a chunk, up to the end of the file";
      }
      Report(offset, what, position_ - offset);
      continue;
    }
    if (!AcceptHeader(chunk->header)) return false;
    const ChunkHeader& header = chunk->header;
    const uint64_t end = offset + sizeof(header) + header.payload_bytes;
    if (end > size) {
      position_ = FindHeader(offset + sizeof(header));
      Report(offset,
             absl::StrCat("chunk ", header.index,
                          " is cut off: ", size - offset - sizeof(header),
                          " of ", header.payload_bytes, " payload bytes"),
             position_ - offset);
      started_ = true;
      continue;
    }
    if (!ReadPayload(header, offset)) {
      SkipDamagedPayload(header, offset);
      started_ = true;
      continue;
    }
    chunk->offset = offset;
    // A recorder that starts again appends to the file and counts from 0.
    const bool restarts = header.kind == ChunkKind::kMeta && header.index == 0;
    chunk->gap_before = header.index != next_index_ && !restarts;
    chunk->bytes = std::string_view(
        reinterpret_cast<const char*>(payload_.data()), header.payload_bytes);
    chunk->records = {};
    if (header.kind == ChunkKind::kRecords) {
      chunk->records = std::span<const Record>(
          payload_.data(), header.payload_bytes / kRecordBytes);
    }
    started_ = true;
    next_index_ = header.index + 1;
    position_ = end;
    return true;
  }
  return false;
}

bool ChunkReader::PeekHeader(ChunkHeader* header) {
  return ReadHeader(position_, header) == HeaderState::kGood &&
         header->version <= kTraceVersion && header->index == next_index_;
}

}  // namespace edgewise
