#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/record.h"

namespace edgewise {

class BlameLedger;

// A stretch of time in which one thing occupied the loop: a slice of an event,
// or a garbage collection inside or between events. Pieces do not overlap.
struct Piece {
  int64_t begin_ns;
  int64_t end_ns;
  // Totals of all pieces before this one, so that a sum over a range of pieces
  // is a subtraction.
  int64_t busy_before_ns;
  int64_t gc_before_ns;
  int64_t unowned_before_ns;
  uint32_t owner;  // BlameLedger's; 0: no request
  bool is_gc;
  uint8_t type;  // EventType, or GcType if is_gc
  // Heads of the ledger's lists of waits that begin and end here.
  uint32_t first_starting;
  uint32_t first_ending;
};

// What occupied the loop, most recent kWindow pieces. Pieces that leave the
// window are handed to the ledger. Numbers of pieces rise for ever.
class LoopTimeline {
 public:
  static constexpr size_t kWindow = size_t{1} << 20;

  explicit LoopTimeline(BlameLedger* ledger) : ledger_(ledger) {}

  // Appends a piece; empty ones are left out. Times must rise.
  void Push(int64_t begin_ns, int64_t end_ns, uint32_t owner, bool is_gc,
            uint8_t type);

  // The number that the next piece takes.
  uint64_t next() const { return next_; }
  // The oldest piece still held (== next() if there is none).
  uint64_t first() const { return first_; }
  Piece& At(uint64_t number) { return ring_[number & mask_]; }
  const Piece& At(uint64_t number) const { return ring_[number & mask_]; }

  struct Occupied {
    uint64_t first = 0;  // the first piece that ends after the start
    int64_t busy_ns = 0;
    int64_t gc_ns = 0;
    int64_t unowned_ns = 0;
    int64_t hidden_ns = 0;  // so much of the time lies before the window
  };
  // Sums over the time from `from_ns` to the begin of piece `end`, which is a
  // boundary between pieces. No piece before `hint` ends after `from_ns`.
  Occupied Between(int64_t from_ns, uint64_t hint, uint64_t end) const;

  // Hands all pieces to the ledger: the end of a file.
  void Flush();

 private:
  void Grow();
  uint64_t FirstEndingAfter(int64_t ns, uint64_t low, uint64_t high) const;

  BlameLedger* ledger_;
  std::vector<Piece> ring_;
  uint64_t mask_ = 0;
  uint64_t first_ = 0;
  uint64_t next_ = 0;
  int64_t busy_ns_ = 0;
  int64_t gc_ns_ = 0;
  int64_t unowned_ns_ = 0;
};

}  // namespace edgewise
