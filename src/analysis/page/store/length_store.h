#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "analysis/page/store/pyramid.h"

namespace edgewise {

// So many requests waited from then on.
struct StoredLength {
  int64_t at_ns;
  uint64_t waiting;
};

struct LengthKind {
  using Record = StoredLength;
  struct Totals {
    uint64_t most;
    uint64_t last;
  };
  static int64_t BeginOf(const Record& length) { return length.at_ns; }
  static int64_t EndOf(const Record& length) { return length.at_ns; }
  static Totals TotalsOf(const Record& length) {
    return {length.waiting, length.waiting};
  }
  static Totals Sum(std::span<const Totals> parts);
  static void Encode(std::span<const Record> lengths, std::string* bytes);
  static void Decode(std::string_view bytes, size_t count,
                     std::vector<Record>* lengths);
};

// How many requests waited for each loop, for all of its recording, on disk.
class LengthStore {
 public:
  explicit LengthStore(ScratchFile* file) : lengths_(file) {}

  void Add(int64_t at_ns, uint64_t waiting) { lengths_.Push({at_ns, waiting}); }
  void EndFile() { lengths_.EndLane(); }

  // After the file was flushed: the line to draw of a stretch of time, with
  // what held when it began. Of `least_ns` it tells the most, and the last.
  absl::Status Draw(size_t lane, int64_t from_ns, int64_t to_ns,
                    int64_t least_ns, std::vector<StoredLength>* line) const;

 private:
  Pyramid<LengthKind> lengths_;
};

}  // namespace edgewise
