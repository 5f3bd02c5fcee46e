#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/blame.h"
#include "analysis/critical_path.h"
#include "analysis/loop_timeline.h"
#include "analysis/page/cause_table.h"
#include "analysis/page/row_sums.h"

namespace edgewise {

// What occupied the loop while requests were ready, summed by row and cause. A
// row's sum is what its requests have queued.
class Blocks {
 public:
  // Pieces of the loop that are walked for one analysis; what lies beyond is
  // not told.
  static constexpr uint64_t kMaxWalked = uint64_t{1} << 27;

  explicit Blocks(CauseTable* causes) : causes_(causes) {}

  void Add(uint32_t row, const CriticalPath& path, const LoopTimeline& timeline,
           BlameLedger* ledger);
  // The end of a file: who was still open then is known by now.
  void EndFile(BlameLedger* ledger) { Resolve(ledger, /*all=*/true); }

  // Their `what` are CauseTable's. Only after EndFile().
  std::vector<RowSums::Entry> Sorted() const { return sums_.Sorted(); }
  // Waiting behind what was not walked.
  int64_t untold_ns() const { return untold_ns_; }

 private:
  struct Part {
    CauseTable::Cause cause;
    uint32_t pending_owner;  // until it has ended its route is not known
    int64_t ns;
  };
  struct Pending {
    uint32_t row;
    uint32_t owner;
    uint8_t type;
    int64_t ns;
  };
  void AddPart(const CauseTable::Cause& cause, int64_t ns,
               uint32_t pending_owner = 0);
  void AddSpan(const QueueSpan& span, const LoopTimeline& timeline,
               BlameLedger* ledger);
  void Resolve(BlameLedger* ledger, bool all);

  CauseTable* const causes_;
  RowSums sums_;
  std::vector<Part> parts_;  // of the request that is added
  std::vector<Pending> pending_;
  size_t look_again_ = size_t{1} << 16;  // so many are looked at again
  uint64_t walked_ = 0;
  int64_t untold_ns_ = 0;
};

}  // namespace edgewise
