#include "analysis/graph/loop_timeline.h"

#include <algorithm>

#include "analysis/graph/blame.h"

namespace edgewise {

void LoopTimeline::Push(int64_t begin_ns, int64_t end_ns, uint32_t owner,
                        bool is_gc, uint8_t type, VmTimes vm) {
  if (end_ns <= begin_ns) return;
  if (next_ - first_ == ring_.size()) Grow();
  ring_[next_ & mask_] = {begin_ns,
                          end_ns,
                          busy_ns_,
                          gc_ns_,
                          unowned_ns_,
                          vm_,
                          owner,
                          is_gc,
                          type,
                          false,
                          OffCpuKind::kPreempted,
                          BlameLedger::kNoWait,
                          BlameLedger::kNoWait};
  const int64_t length_ns = end_ns - begin_ns;
  busy_ns_ += length_ns;
  if (is_gc) gc_ns_ += length_ns;
  if (owner == 0) unowned_ns_ += length_ns;
  vm_ += vm;
  ++next_;
}

void LoopTimeline::PushOff(const OffSpan& span, uint32_t owner, bool is_gc,
                           uint8_t type) {
  if (span.end_ns <= span.begin_ns) return;
  const int64_t gc_ns = gc_ns_;
  Push(span.begin_ns, span.end_ns, owner, is_gc, type);
  gc_ns_ = gc_ns;
  Piece& piece = At(next_ - 1);
  piece.off = true;
  piece.why = span.kind;
  busy_off_.Push(span);
}

void LoopTimeline::Grow() {
  if (ring_.size() == kWindow) {
    RetireFirst();
    return;
  }
  const size_t size = std::max<size_t>(64, ring_.size() * 2);
  std::vector<Piece> larger(size);
  for (uint64_t number = first_; number < next_; ++number) {
    larger[number & (size - 1)] = At(number);
  }
  ring_.swap(larger);
  mask_ = size - 1;
}

void LoopTimeline::Flush() {
  while (first_ < next_) RetireFirst();
  file_first_ = next_;
  busy_off_.Clear();
  idle_off_.Clear();
}

void LoopTimeline::RetireFirst() {
  const Piece& piece = At(first_);
  samples_.Retire(piece.end_ns, [&](uint32_t stack, const StackWeights& part) {
    ledger_->AddStack(piece, stack, part);
  });
  const VmTimes vm = VmBefore(first_ + 1) - piece.vm_before;
  if (sink_ != nullptr) sink_->OnPiece(piece, vm, ledger_);
  ledger_->Retire(first_, piece, vm);
  ++first_;
}

// Most waits are short: gallop back from the end.
uint64_t LoopTimeline::FirstEndingAfter(int64_t ns, uint64_t low,
                                        uint64_t high) const {
  uint64_t step = 1;
  uint64_t bound = high;  // all pieces from here on end after ns
  while (bound > low) {
    const uint64_t probe = bound - std::min(step, bound - low);
    if (At(probe).end_ns <= ns) {
      low = probe + 1;
      break;
    }
    bound = probe;
    step *= 2;
  }
  while (low < bound) {
    const uint64_t middle = low + (bound - low) / 2;
    if (At(middle).end_ns <= ns) {
      low = middle + 1;
    } else {
      bound = middle;
    }
  }
  return bound;
}

LoopTimeline::Occupied LoopTimeline::Between(int64_t from_ns, uint64_t hint,
                                             uint64_t end) const {
  Occupied sum;
  const uint64_t low = std::max(hint, first_);
  end = std::max(end, low);
  // Most waits begin where a piece does.
  const bool at_low = low < end && At(low).end_ns > from_ns;
  sum.first = at_low ? low : FirstEndingAfter(from_ns, low, end);
  if (sum.first == first_ && first_ > std::max(hint, file_first_) &&
      first_ < next_) {
    sum.hidden_ns = std::max<int64_t>(0, At(first_).begin_ns - from_ns);
  }
  if (sum.first == end) return sum;
  const Piece& head = At(sum.first);
  const bool last = end == next_;
  sum.busy_ns =
      (last ? busy_ns_ : At(end).busy_before_ns) - head.busy_before_ns;
  sum.gc_ns = (last ? gc_ns_ : At(end).gc_before_ns) - head.gc_before_ns;
  sum.unowned_ns =
      (last ? unowned_ns_ : At(end).unowned_before_ns) - head.unowned_before_ns;
  const int64_t cut_ns = std::max<int64_t>(0, from_ns - head.begin_ns);
  sum.vm = VmBefore(end) - VmBefore(sum.first + 1);
  sum.vm += VmWithin(sum.first, from_ns, head.end_ns);
  sum.busy_ns -= cut_ns;
  if (head.is_gc && !head.off) sum.gc_ns -= cut_ns;
  if (head.owner == 0) sum.unowned_ns -= cut_ns;
  return sum;
}

VmTimes LoopTimeline::VmBefore(uint64_t number) const {
  return number == next_ ? vm_ : At(number).vm_before;
}

// Rounds down: with a collection the parts of a stretch never exceed it.
VmTimes LoopTimeline::VmWithin(uint64_t number, int64_t from_ns,
                               int64_t to_ns) const {
  const Piece& piece = At(number);
  const int64_t part_ns =
      std::min(to_ns, piece.end_ns) - std::max(from_ns, piece.begin_ns);
  return (VmBefore(number + 1) - piece.vm_before)
      .Share(std::max<int64_t>(0, part_ns), piece.end_ns - piece.begin_ns);
}

VmTimes LoopTimeline::VmBetween(int64_t from_ns, int64_t to_ns,
                                uint64_t hint) const {
  const uint64_t low = std::max(hint, first_);
  const uint64_t head = FirstEndingAfter(from_ns, low, next_);
  if (head == next_) return {};
  VmTimes sum = VmWithin(head, from_ns, to_ns);
  const uint64_t tail = FirstEndingAfter(to_ns, head, next_);
  if (tail == head) return sum;
  sum += VmBefore(tail) - VmBefore(head + 1);
  if (tail < next_) sum += VmWithin(tail, from_ns, to_ns);
  return sum;
}

}  // namespace edgewise
