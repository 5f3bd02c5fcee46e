#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "analysis/graph/critical_path.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/page/cause_table.h"
#include "analysis/rows/row_context.h"

namespace edgewise {

// For how long each cause has occupied the loop so far. Thousands of requests
// may wait for thousands of pieces: a wait is the difference of two sums, which
// are kept every kEvery pieces, and what lies around them.
class CauseClock {
 public:
  static constexpr uint64_t kEvery = 256;
  // So many numbers are kept; where that is too few, more pieces are looked at.
  static constexpr size_t kMostKept = size_t{1} << 22;

  explicit CauseClock(CauseTable* causes);

  // All pieces that are on the timeline are known from now on.
  void Advance(const LoopTimeline& timeline, const RowContext& context);
  // The end of a file: its pieces are gone.
  void EndFile(const LoopTimeline& timeline);

  struct Part {
    uint32_t cause;  // CauseTable's
    int64_t ns;
  };
  // What a path's waits were for, largest first, none empty: they sum to its
  // queueing. Valid until the next call.
  const std::vector<Part>& Of(const CriticalPath& path,
                              const LoopTimeline& timeline);

 private:
  using Sums = std::vector<int64_t>;  // by cause

  void AddSpan(const QueueSpan& span, const LoopTimeline& timeline);
  void AddPieces(uint64_t from, uint64_t to, int64_t from_ns,
                 const LoopTimeline& timeline);
  void Add(uint32_t cause, int64_t ns);
  uint32_t CauseOf(const Piece& piece, const RowContext& context);

  CauseTable* const causes_;
  const uint32_t jit_;
  const uint32_t ic_;
  const uint32_t loop_;
  const uint32_t wake_;
  uint64_t known_ = 0;              // the next piece
  std::vector<uint32_t> cause_of_;  // of each in the window, by number
  Sums sums_;                       // of all pieces before known_
  uint64_t first_mark_ = 0;         // number of marks_[0], in steps of kEvery
  std::deque<Sums> marks_;          // before piece first_mark_ * kEvery, ...
  Sums wait_;                       // of the request that is asked for
  std::vector<uint32_t> touched_;   // causes of wait_
  std::vector<Part> parts_;
};

}  // namespace edgewise
