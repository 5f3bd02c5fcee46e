#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/timeline/off_timeline.h"
#include "analysis/timeline/sample_timeline.h"
#include "trace/record.h"

namespace edgewise {

class BlameLedger;

// What of a stretch of time V8 spent beside running the program, without
// collections. All 0 where the recorder does not measure it.
struct VmTimes {
  int64_t jit_ns = 0;
  int64_t ic_ns = 0;

  VmTimes& operator+=(const VmTimes& other) {
    jit_ns += other.jit_ns;
    ic_ns += other.ic_ns;
    return *this;
  }
  VmTimes operator-(const VmTimes& other) const {
    return {jit_ns - other.jit_ns, ic_ns - other.ic_ns};
  }
  // Of `whole` ns, the part that falls on `part` ns of them; never more.
  VmTimes Share(int64_t part, int64_t whole) const {
    const double share =
        whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    return part == whole
               ? *this
               : VmTimes{
                     static_cast<int64_t>(static_cast<double>(jit_ns) * share),
                     static_cast<int64_t>(static_cast<double>(ic_ns) * share)};
  }
};

// A stretch of time in which one thing occupied the loop: a slice of an event,
// or a garbage collection inside or between events; the thread ran for all of
// it, or did not. Pieces do not overlap.
struct Piece {
  int64_t begin_ns;
  int64_t end_ns;
  // Totals of all pieces before this one, so that a sum over a range of pieces
  // is a subtraction.
  int64_t busy_before_ns;
  int64_t gc_before_ns;  // for which it ran
  int64_t unowned_before_ns;
  VmTimes vm_before;
  uint32_t owner;  // BlameLedger's; 0: no request
  bool is_gc;
  uint8_t type;  // EventType, or GcType if is_gc
  bool off;      // the thread did not run, for the reason
  OffCpuKind why;
  // Heads of the ledger's lists of waits that begin and end here.
  uint32_t first_starting;
  uint32_t first_ending;
};

// Is told what became of the loop's time, in order.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  // Its owner is still known. `vm`: V8's times in it.
  virtual void OnPiece(const Piece& piece, VmTimes vm, BlameLedger* ledger) = 0;
  // The thread did not run, and nothing occupied the loop.
  virtual void OnIdleOff(const OffSpan& span) = 0;
};

// What occupied the loop, most recent kWindow pieces. Pieces that leave the
// window are handed to the ledger. Numbers of pieces rise for ever.
class LoopTimeline {
 public:
  static constexpr size_t kWindow = size_t{1} << 20;

  // `sink` may be null; it is told of pieces that leave the window.
  explicit LoopTimeline(BlameLedger* ledger, PieceSink* sink = nullptr)
      : ledger_(ledger), sink_(sink) {}

  // Appends a piece; empty ones are left out. Times must rise.
  void Push(int64_t begin_ns, int64_t end_ns, uint32_t owner, bool is_gc,
            uint8_t type, VmTimes vm = {});
  // The same for a stretch in which the thread did not run.
  void PushOff(const OffSpan& span, uint32_t owner, bool is_gc, uint8_t type);
  // It did not run, and nothing occupied the loop.
  void NoteIdleOff(const OffSpan& span) {
    idle_off_.Push(span);
    if (sink_ != nullptr) sink_->OnIdleOff(span);
  }

  // When the thread did not run: inside pieces, and between them.
  const OffTimeline& busy_off() const { return busy_off_; }
  const OffTimeline& idle_off() const { return idle_off_; }

  // What JavaScript ran then, as far as it was sampled.
  SampleTimeline& samples() { return samples_; }
  const SampleTimeline& samples() const { return samples_; }

  // The number that the next piece takes.
  uint64_t next() const { return next_; }
  // The oldest piece still held (== next() if there is none).
  uint64_t first() const { return first_; }
  Piece& At(uint64_t number) { return ring_[number & mask_]; }
  const Piece& At(uint64_t number) const { return ring_[number & mask_]; }
  // The first piece that ends after a moment; next() if none does yet.
  uint64_t PieceAfter(int64_t ns) const {
    return FirstEndingAfter(ns, first_, next_);
  }

  struct Occupied {
    uint64_t first = 0;  // the first piece that ends after the start
    int64_t busy_ns = 0;
    int64_t gc_ns = 0;  // for which it ran
    int64_t unowned_ns = 0;
    VmTimes vm;
    int64_t hidden_ns = 0;  // so much of the time lies before the window
  };
  // Sums over the time from `from_ns` to the begin of piece `end`, which is a
  // boundary between pieces. No piece before `hint` ends after `from_ns`.
  Occupied Between(int64_t from_ns, uint64_t hint, uint64_t end) const;

  // V8's times from one moment to another. No piece before `hint` ends after
  // `from_ns`.
  VmTimes VmBetween(int64_t from_ns, int64_t to_ns, uint64_t hint) const;
  // Of what of a piece lies between two moments.
  VmTimes VmWithin(uint64_t number, int64_t from_ns, int64_t to_ns) const;
  // Whether any piece so far had such times.
  bool has_vm_times() const { return vm_.jit_ns > 0 || vm_.ic_ns > 0; }

  // Hands all pieces to the ledger: the end of a file, or of a recording in
  // it. Nobody waits for what came before.
  void Flush();

 private:
  void Grow();
  // Of all pieces before this one.
  VmTimes VmBefore(uint64_t number) const;
  void RetireFirst();
  uint64_t FirstEndingAfter(int64_t ns, uint64_t low, uint64_t high) const;

  BlameLedger* ledger_;
  PieceSink* sink_;
  std::vector<Piece> ring_;
  uint64_t mask_ = 0;
  uint64_t first_ = 0;
  uint64_t next_ = 0;
  uint64_t file_first_ = 0;  // this file's
  int64_t busy_ns_ = 0;
  int64_t gc_ns_ = 0;
  int64_t unowned_ns_ = 0;
  VmTimes vm_;
  OffTimeline busy_off_;
  OffTimeline idle_off_;
  SampleTimeline samples_;
};

}  // namespace edgewise
