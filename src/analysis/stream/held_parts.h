#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trace/reader.h"

namespace edgewise {

// A stretch of a file that belongs to a trace.
struct TracePart {
  std::string path;
  uint64_t offset;
  uint64_t bytes;
};

// Of what stands at `path`, which a recorder began: the trace file, and after
// it what its thread held in flight mode when the process was killed
// (recorder/held_chunks.h), less what a dump had copied by then. Of a process
// that still records, and of any trace in stream mode, the file alone.
absl::StatusOr<std::vector<TracePart>> PartsOfTrace(const std::string& path);

// Whether its recorder still writes, as far as the kernel tells (flock).
bool IsStillWritten(const std::string& path);

absl::StatusOr<std::unique_ptr<ByteSource>> OpenParts(
    const std::vector<TracePart>& parts);

}  // namespace edgewise
