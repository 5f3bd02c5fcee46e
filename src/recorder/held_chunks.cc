#include "recorder/held_chunks.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/reader.h"

namespace edgewise {
namespace {

std::string WithoutExtension(const std::string& path) {
  return std::filesystem::path(path).replace_extension().string();
}

// How many threads hold chunks in the directory.
uint64_t Holders(const std::string& base) {
  std::error_code error;
  uint64_t holders = 0;
  std::filesystem::directory_iterator entries(
      std::filesystem::path(base).parent_path(), error);
  for (const auto end = std::filesystem::directory_iterator();
       !error && entries != end; entries.increment(error)) {
    if (entries->path().extension() == ".held0") ++holders;
  }
  return std::max<uint64_t>(1, holders);
}

}  // namespace

HeldChunks::HeldChunks(const std::string& path, uint64_t max_bytes)
    : base_(WithoutExtension(path)), max_bytes_(max_bytes) {}

std::string HeldChunks::FileOf(int generation) const {
  return absl::StrCat(base_, ".held", generation % 2);
}

uint64_t HeldChunks::Share() const { return max_bytes_ / Holders(base_); }

bool HeldChunks::MakeRoom(uint64_t payload_bytes) {
  const uint64_t bytes = sizeof(ChunkHeader) + payload_bytes;
  if (current_ && (current_->written_bytes() == 0 ||
                   current_->written_bytes() + bytes <= Share() / 2)) {
    return current_->written_bytes() == 0;
  }
  if (current_) {
    CloseCurrent();
    ++generation_;
  }
  const std::string file = FileOf(generation_);
  unlink(file.c_str());
  auto writer = ChunkWriter::OpenUnbounded(file);
  if (writer.ok()) current_.emplace(*std::move(writer));
  return true;
}

absl::Status HeldChunks::Append(ChunkHeader header, const void* payload,
                                uint32_t payload_bytes, uint32_t kept_bytes) {
  if (current_) {
    header.lost_bytes += lost_bytes_;
    return current_->Append(header, payload, payload_bytes, kept_bytes);
  }
  lost_bytes_ += payload_bytes - kept_bytes;
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot create ", FileOf(generation_)));
}

absl::Status HeldChunks::MoveTo(ChunkWriter* writer) {
  absl::Status status;
  for (const int generation : {generation_ + 1, generation_}) {
    status.Update(MoveFile(FileOf(generation), writer));
  }
  Forget();
  return status;
}

absl::Status HeldChunks::MoveFile(const std::string& file,
                                  ChunkWriter* writer) {
  auto source = FileSource::Open(file);
  if (!source.ok()) return absl::OkStatus();  // nothing was held there
  ChunkReader reader(source->get(), file, nullptr);
  Chunk chunk;
  absl::Status status;
  while (reader.Next(&chunk)) {
    ChunkHeader header = chunk.header;
    header.lost_bytes = lost_bytes();
    status.Update(
        writer->Append(header, chunk.bytes.data(), header.payload_bytes));
  }
  return status;
}

void HeldChunks::CloseCurrent() {
  if (!current_) return;
  lost_bytes_ += current_->lost_bytes();
  current_.reset();
}

void HeldChunks::Forget() {
  CloseCurrent();
  generation_ = 0;  // the number of holders is that of first files
  unlink(FileOf(0).c_str());
  unlink(FileOf(1).c_str());
}

}  // namespace edgewise
