#include "analysis/stream/held_parts.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

// Several stretches as one source.
class JoinedSource : public ByteSource {
 public:
  struct Piece {
    std::unique_ptr<ByteSource> source;
    uint64_t offset;
    uint64_t bytes;
  };
  explicit JoinedSource(std::vector<Piece> pieces)
      : pieces_(std::move(pieces)) {}

  uint64_t size() override {
    uint64_t size = 0;
    for (const Piece& piece : pieces_) size += piece.bytes;
    return size;
  }

  size_t ReadAt(uint64_t offset, void* buffer, size_t size) override {
    size_t done = 0;
    for (const Piece& piece : pieces_) {
      if (offset >= piece.bytes) {
        offset -= piece.bytes;
        continue;
      }
      const size_t part = std::min<uint64_t>(size - done, piece.bytes - offset);
      const size_t got = piece.source->ReadAt(
          piece.offset + offset, static_cast<char*>(buffer) + done, part);
      done += got;
      if (got < part || done == size) break;
      offset = 0;
    }
    return done;
  }

 private:
  std::vector<Piece> pieces_;
};

// The number of the last good chunk; nothing where there is none.
std::optional<uint64_t> LastIndex(ByteSource* source) {
  ChunkReader reader(source, "", nullptr);
  Chunk chunk;
  std::optional<uint64_t> last;
  while (reader.Next(&chunk)) last = chunk.header.index;
  return last;
}

struct Held {
  uint64_t first_index;
  TracePart part;
};

// What is held in a file, from the first chunk that comes after `last`.
std::optional<Held> HeldIn(const std::string& path, uint64_t last) {
  auto source = FileSource::Open(path);
  if (!source.ok()) return std::nullopt;
  ChunkReader reader(source->get(), path, nullptr);
  Chunk chunk;
  while (reader.Next(&chunk)) {
    if (chunk.header.index <= last) continue;
    const uint64_t bytes = (*source)->size() - chunk.offset;
    return Held{chunk.header.index, {path, chunk.offset, bytes}};
  }
  return std::nullopt;
}

}  // namespace

bool IsStillWritten(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const bool taken = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return taken;
}

absl::StatusOr<std::vector<TracePart>> PartsOfTrace(const std::string& path) {
  auto trace = FileSource::Open(path);
  if (!trace.ok()) return trace.status();
  std::vector<TracePart> parts = {{path, 0, (*trace)->size()}};
  const std::string base =
      std::filesystem::path(path).replace_extension().string();
  std::error_code error;
  const bool held = std::filesystem::exists(base + ".held0", error) ||
                    std::filesystem::exists(base + ".held1", error);
  if (!held || IsStillWritten(path)) return parts;
  const std::optional<uint64_t> last = LastIndex(trace->get());
  if (!last.has_value()) return parts;
  std::vector<Held> found;
  for (const char* extension : {".held0", ".held1"}) {
    auto in = HeldIn(base + extension, *last);
    if (in.has_value()) found.push_back(*std::move(in));
  }
  std::sort(found.begin(), found.end(), [](const Held& a, const Held& b) {
    return a.first_index < b.first_index;
  });
  for (Held& in : found) parts.push_back(std::move(in.part));
  return parts;
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenParts(
    const std::vector<TracePart>& parts) {
  std::vector<JoinedSource::Piece> pieces;
  for (const TracePart& part : parts) {
    auto source = FileSource::Open(part.path, part.offset + part.bytes);
    if (!source.ok()) return source.status();
    if (parts.size() == 1) return source;
    const uint64_t size = (*source)->size();
    pieces.push_back(
        {*std::move(source), part.offset, size - std::min(size, part.offset)});
  }
  return std::make_unique<JoinedSource>(std::move(pieces));
}

}  // namespace edgewise
