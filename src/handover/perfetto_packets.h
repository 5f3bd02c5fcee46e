#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "analysis/requests/output_file.h"
#include "handover/proto_writer.h"

namespace edgewise {

// A trace of Perfetto's: its packets (protos/perfetto/trace of its source).
// Names are written once. Times: CLOCK_MONOTONIC, ns.
class PerfettoPackets {
 public:
  explicit PerfettoPackets(std::unique_ptr<OutputFile> file)
      : file_(std::move(file)) {}

  // Another file's packets follow. `unix_offset_ns`: CLOCK_REALTIME is so much
  // later.
  void BeginSequence(int64_t at_ns, int64_t unix_offset_ns);

  // Of a process, or of anything in it: `parent` is the process's.
  void ProcessTrack(uint64_t track, uint32_t pid, std::string_view name);
  void Track(uint64_t track, uint64_t parent, std::string_view name);

  struct Note {
    const char* name;
    int64_t value;
  };
  struct Slice {
    std::string_view name;
    std::string_view category;
    uint64_t flow = 0;                    // goes on from here; 0: none
    std::span<const uint64_t> from = {};  // flows that end here
    std::span<const Note> notes = {};
  };
  // Slices of a track lie in each other, or beside each other; those of equal
  // times in the order of the calls.
  void Begin(uint64_t track, int64_t at_ns, const Slice& slice);
  void End(uint64_t track, int64_t at_ns);

  absl::Status Close() { return file_->Close(); }

 private:
  using Names = absl::flat_hash_map<std::string, uint64_t>;

  // The number of a name; a new one is told with the packet.
  uint64_t Intern(uint32_t field, std::string_view name, Names* names,
                  ProtoWriter* interned);
  void Add(const ProtoWriter& packet);
  void AddTrack(const ProtoWriter& descriptor);
  // `interned`: names that it is the first to use; may be empty.
  void AddEvent(int64_t at_ns, const ProtoWriter& told,
                const ProtoWriter& interned);

  const std::unique_ptr<OutputFile> file_;
  uint32_t sequence_ = 0;
  Names names_;  // of this sequence
  Names categories_;
  Names note_names_;
};

}  // namespace edgewise
