#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "analysis/graph/blame.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/page/cause_table.h"
#include "analysis/page/store/pyramid.h"

namespace edgewise {

// One thing that occupied a loop, without a gap.
struct StoredSlice {
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t cause;  // of the store that holds it
  uint8_t off;     // 0: it ran; else 1 + OffCpuKind
  bool is_gc;
  VmTimes vm;
};

struct SliceKind {
  using Record = StoredSlice;
  struct Totals {
    int64_t busy_ns;
    int64_t gc_ns;
    int64_t top_ns;  // of what it was most of the time, collections apart
    uint32_t top_cause;
    uint32_t gc_cause;
    uint32_t top_off;
  };
  static int64_t BeginOf(const Record& slice) { return slice.begin_ns; }
  static int64_t EndOf(const Record& slice) { return slice.end_ns; }
  static Totals TotalsOf(const Record& slice);
  static Totals Sum(std::span<const Totals> parts);
  static void Encode(std::span<const Record> slices, std::string* bytes);
  static void Decode(std::string_view bytes, size_t count,
                     std::vector<Record>* slices);
};

// What occupied each loop, for all of its recording, on disk.
class SliceStore {
 public:
  SliceStore(ScratchFile* file, CauseTable* causes)
      : causes_(causes), slices_(file) {}

  // In order, when it leaves the timeline.
  void Add(const Piece& piece, VmTimes vm, BlameLedger* ledger);
  // The end of a file: who was still open then is known by now.
  void EndFile(BlameLedger* ledger);

  // Only what follows after the file was flushed. A lane is a file's number.

  // What there is to draw of a stretch of time: a slice, or where they are too
  // small to be seen, several in one.
  struct Drawn {
    int64_t begin_ns;
    int64_t end_ns;
    uint32_t
        cause;  // CauseTable's; of several, what they were most of the time
    uint8_t off;
    uint64_t count;
    int64_t busy_ns;
  };
  // In order; collections that share a place with others come after them.
  // What is shorter than `least_ns` is told in sums of at least so much time.
  absl::Status Draw(size_t lane, int64_t from_ns, int64_t to_ns,
                    int64_t least_ns, std::vector<Drawn>* drawn) const;

  // Calls visit(slice, CauseTable's number) for each that lies in a stretch of
  // time, in part.
  template <typename Visit>
  absl::Status ForEach(size_t lane, int64_t from_ns, int64_t to_ns,
                       Visit&& visit) const {
    if (lane >= slices_.roots().size() || !slices_.roots()[lane]) {
      return absl::OkStatus();
    }
    const auto within = [&](const auto& of) {
      return of.begin_ns < to_ns && of.end_ns > from_ns;
    };
    return slices_.Walk(*slices_.roots()[lane], within,
                        [&](const StoredSlice& slice) {
                          if (within(slice))
                            visit(slice, cause_of_[slice.cause]);
                        });
  }

 private:
  uint32_t NumberOf(const CauseTable::Owned& owned, BlameLedger* ledger);

  CauseTable* const causes_;
  Pyramid<SliceKind> slices_;
  StoredSlice last_{};  // not yet in the pyramid; empty: there is none
  std::vector<uint32_t> cause_of_;                   // CauseTable's numbers
  absl::flat_hash_map<uint64_t, uint32_t> numbers_;  // by CauseTable::KeyOf()
  // Of requests that have not ended; and what they are the causes of.
  absl::flat_hash_map<std::pair<uint32_t, uint8_t>, uint32_t> open_numbers_;
  std::vector<std::pair<uint32_t, CauseTable::Owned>> open_;
};

}  // namespace edgewise
