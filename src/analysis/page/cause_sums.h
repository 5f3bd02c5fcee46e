#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/graph/blame.h"
#include "analysis/page/cause_table.h"
#include "analysis/page/row_sums.h"

namespace edgewise {

// Of each row, times by cause and by what ran in it. Until a request has ended
// its route is not known, and so what is a cause.
class CauseSums {
 public:
  explicit CauseSums(CauseTable* causes) : causes_(causes) {}

  // `frame`: a StackTree's node; 0: not told apart. `open`: the cause's request
  // that has not ended; 0: there is none.
  void Add(uint32_t row, const CauseTable::Cause& cause, uint32_t frame,
           int64_t ns, uint32_t open, BlameLedger* ledger);
  // The end of a file: who was still open then is known by now.
  void EndFile(BlameLedger* ledger) { Resolve(ledger, /*all=*/true); }

  // Their `what` have a Cell. Only after EndFile().
  std::vector<RowSums::Entry> Sorted() const { return sums_.Sorted(); }
  struct Cell {
    uint32_t cause;  // CauseTable's
    uint32_t frame;
  };
  const Cell& At(uint32_t what) const { return cells_[what]; }
  // About so many.
  size_t size() const { return sums_.size() + pending_.size(); }

 private:
  struct Pending {
    uint32_t row;
    uint32_t owner;
    uint32_t frame;
    uint8_t type;
    int64_t ns;
  };
  uint32_t Intern(const CauseTable::Cause& cause, uint32_t frame);
  void Resolve(BlameLedger* ledger, bool all);

  CauseTable* const causes_;
  RowSums sums_;
  std::vector<Cell> cells_;
  absl::flat_hash_map<uint64_t, uint32_t> numbers_;
  std::vector<Pending> pending_;
  size_t look_again_ = size_t{1} << 16;  // when there are so many
};

}  // namespace edgewise
