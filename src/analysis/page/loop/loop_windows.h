#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/graph/blame.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/page/cause_table.h"

namespace edgewise {

// What ran on the loops, piece by piece, and how many requests waited: in
// stretches of time around some requests.
class LoopWindows {
 public:
  static constexpr uint64_t kMostPieces = 1000;  // a window: its latest
  static constexpr size_t kMostSlices = 150'000;
  static constexpr size_t kMostLengths = 20'000;

  explicit LoopWindows(CauseTable* causes) : causes_(causes) {}

  // What runs from one moment to another is wanted. No piece of it has left
  // the timeline.
  void Cover(int64_t from_ns, int64_t to_ns, const LoopTimeline& timeline);
  // In order, when it leaves the timeline.
  void OnPiece(const Piece& piece, BlameLedger* ledger);
  // The end of a file: who was still open then is known by now. How many waited
  // is told after it, in order, then EndLengths().
  void EndFile(uint32_t thread, BlameLedger* ledger);
  void OnLength(int64_t at_ns, uint64_t waiting);
  void EndLengths();

  struct Window {
    int64_t from_ns;
    int64_t to_ns;
    uint32_t thread;
  };
  struct Slice {
    int64_t begin_ns;
    int64_t end_ns;
    uint32_t thread;
    uint32_t cause;  // CauseTable's
    uint8_t off;     // 0: it ran; else 1 + OffCpuKind
  };
  // So many waited from then on.
  struct Length {
    int64_t at_ns;
    uint32_t thread;
    uint64_t waiting;
  };
  const std::vector<Window>& windows() const { return windows_; }
  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<Length>& lengths() const { return lengths_; }
  // Windows that there was no room for.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Held {
    Piece piece;
    CauseTable::Owned owned;
  };
  void TakeSlices(uint32_t thread, BlameLedger* ledger);
  void AddLength(int64_t at_ns, uint64_t waiting);

  CauseTable* const causes_;
  std::vector<Window> windows_;
  std::vector<Slice> slices_;
  std::vector<Length> lengths_;
  uint64_t left_out_ = 0;
  uint64_t wanted_ = 0;  // pieces, about

  // Of this file: what is wanted, from and to, apart from each other; and what
  // of it has left the timeline.
  std::map<int64_t, int64_t> stretches_;
  std::vector<Held> held_;
  // Its windows whose lengths are to come, from this one on.
  size_t next_window_ = 0;
  bool in_window_ = false;  // that one's first length is here
  uint64_t waiting_ = 0;
};

}  // namespace edgewise
