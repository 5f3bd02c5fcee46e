#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "trace/reader.h"

namespace edgewise {

// The trace files of one analysis. Each is opened anew for each pass, so that
// hundreds of workers' files need no hundreds of descriptors.
class TraceSet {
 public:
  virtual ~TraceSet() = default;
  virtual size_t size() const = 0;
  virtual const std::string& Name(size_t i) const = 0;
  // How large it is now; 0 where nobody knows.
  virtual uint64_t Bytes(size_t i) const = 0;
  // Whether its recorder goes on writing, as far as anybody can tell.
  virtual bool StillWritten(size_t) const { return false; }
  // Threads that could not be recorded at all, for want of room.
  virtual uint64_t Unrecorded() const { return 0; }
  // Later calls see no more bytes than the first.
  virtual absl::StatusOr<std::unique_ptr<ByteSource>> Open(size_t i) = 0;
};

// The `*.ewt` files of a directory, by name. NotFound names the directory and
// what was expected there.
absl::StatusOr<std::unique_ptr<TraceSet>> OpenTraceDirectory(
    const std::string& dir);

// A trace file in memory.
struct TraceBytes {
  std::string name;
  std::string_view bytes;
};

// Does not own the bytes.
std::unique_ptr<TraceSet> TracesInMemory(std::span<const TraceBytes> files);

}  // namespace edgewise
