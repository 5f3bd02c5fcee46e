#include "analysis/stream/trace_set.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analysis/stream/held_parts.h"
#include "trace/directory_quota.h"

namespace edgewise {
namespace {

class DirectoryTraces : public TraceSet {
 public:
  DirectoryTraces(std::string dir, std::vector<std::string> names)
      : dir_(std::move(dir)), names_(std::move(names)), parts_(names_.size()) {}
  size_t size() const override { return names_.size(); }
  const std::string& Name(size_t i) const override { return names_[i]; }
  uint64_t Bytes(size_t i) const override {
    std::error_code error;
    const uintmax_t bytes = std::filesystem::file_size(Path(i), error);
    return error ? 0 : bytes;
  }
  bool StillWritten(size_t i) const override { return IsStillWritten(Path(i)); }
  uint64_t Unrecorded() const override { return UnrecordedThreads(dir_); }
  absl::StatusOr<std::unique_ptr<ByteSource>> Open(size_t i) override {
    if (parts_[i].empty()) {
      auto parts = PartsOfTrace(Path(i));
      if (!parts.ok()) return parts.status();
      parts_[i] = *std::move(parts);
    }
    return OpenParts(parts_[i]);
  }

 private:
  std::string Path(size_t i) const {
    return absl::StrCat(dir_, "/", names_[i]);
  }

  std::string dir_;
  std::vector<std::string> names_;
  std::vector<std::vector<TracePart>> parts_;  // as found by the first Open()
};

class MemoryTraces : public TraceSet {
 public:
  explicit MemoryTraces(std::span<const TraceBytes> files) : files_(files) {}
  size_t size() const override { return files_.size(); }
  const std::string& Name(size_t i) const override { return files_[i].name; }
  uint64_t Bytes(size_t i) const override { return files_[i].bytes.size(); }
  absl::StatusOr<std::unique_ptr<ByteSource>> Open(size_t i) override {
    return std::make_unique<MemorySource>(files_[i].bytes);
  }

 private:
  std::span<const TraceBytes> files_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TraceSet>> OpenTraceDirectory(
    const std::string& dir) {
  constexpr char kExpected[] =
      "expected a directory that edgewise recorded into, holding files "
      "<pid>-<thread>.ewt";
  std::error_code error;
  std::filesystem::directory_iterator entries(dir, error);
  if (error) {
    return absl::NotFoundError(absl::StrCat("no trace in ", dir, ": ",
                                            error.message(), "; ", kExpected));
  }
  std::vector<std::string> names;
  for (const auto end = std::filesystem::directory_iterator();
       entries != end && !error; entries.increment(error)) {
    std::string name = entries->path().filename().string();
    if (absl::EndsWith(name, ".ewt")) names.push_back(std::move(name));
  }
  if (names.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no trace in ", dir, ": ", kExpected));
  }
  std::sort(names.begin(), names.end());
  return std::make_unique<DirectoryTraces>(dir, std::move(names));
}

std::unique_ptr<TraceSet> TracesInMemory(std::span<const TraceBytes> files) {
  return std::make_unique<MemoryTraces>(files);
}

}  // namespace edgewise
