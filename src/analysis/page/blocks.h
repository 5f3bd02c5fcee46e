#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/graph/blame.h"
#include "analysis/graph/critical_path.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/page/cause_sums.h"
#include "analysis/page/cause_table.h"

namespace edgewise {

// What occupied the loop while requests were ready, summed by row and cause: a
// row's sum is what its requests have queued. And as far as it was sampled,
// what JavaScript ran meanwhile, and in the requests themselves.
class Blocks {
 public:
  // Pieces of the loop that are walked for one analysis; what lies beyond is
  // not told.
  static constexpr uint64_t kMaxWalked = uint64_t{1} << 27;
  // Stacks of rows; those of the tail have as much room again.
  static constexpr size_t kMostFrames = 60'000;

  explicit Blocks(CauseTable* causes)
      : causes_(causes), sums_(causes), frames_(causes) {}

  void Add(uint32_t row, const CriticalPath& path, bool tail,
           const LoopTimeline& timeline, BlameLedger* ledger);
  // The end of a file: who was still open then is known by now.
  void EndFile(BlameLedger* ledger);

  // Only after EndFile(). Of `frames` the frames are told apart; what the
  // requests ran themselves has the cause kOwn.
  const CauseSums& sums() const { return sums_; }
  const CauseSums& frames() const { return frames_; }
  // Waiting behind what was not walked.
  int64_t untold_ns() const { return untold_ns_; }
  // Requests whose stacks there was no room for.
  uint64_t without_frames() const { return without_frames_; }

 private:
  struct Part {
    uint64_t key;  // the cause's
    CauseTable::Cause cause;
    uint32_t open;  // CauseSums::Add()
    int64_t ns;
  };
  void AddPart(const CauseTable::Cause& cause, int64_t ns, uint32_t open = 0);
  void AddSpan(const QueueSpan& span, const LoopTimeline& timeline,
               BlameLedger* ledger);
  void AddFrames(uint32_t row, const CriticalPath& path,
                 const LoopTimeline& timeline, BlameLedger* ledger);

  CauseTable* const causes_;
  CauseSums sums_;
  CauseSums frames_;
  std::vector<Part> parts_;  // of the request that is added
  uint64_t walked_ = 0;
  int64_t untold_ns_ = 0;
  uint64_t without_frames_ = 0;
};

}  // namespace edgewise
