#include "analysis/page/blocks.h"

#include <algorithm>

namespace edgewise {
// A request has few causes, and pieces of one cause often follow each other.
void Blocks::AddPart(const CauseTable::Cause& cause, int64_t ns,
                     uint32_t open) {
  if (ns <= 0) return;
  const uint64_t key = CauseTable::KeyOf(cause);
  for (size_t i = parts_.size(); i-- > 0;) {
    Part& part = parts_[i];
    if (part.key != key || part.open != open) continue;
    part.ns += ns;
    return;
  }
  parts_.push_back({key, cause, open, ns});
}

void Blocks::AddSpan(const QueueSpan& span, const LoopTimeline& timeline,
                     BlameLedger* ledger) {
  using Kind = Blocker::Kind;
  const LoopTimeline::Occupied occupied =
      timeline.Between(span.from_ns, span.from_piece, span.to_piece);
  AddPart({span.loop_slept ? Kind::kWake : Kind::kLoop, 0, 0},
          span.to_ns - span.from_ns - occupied.busy_ns);
  if (occupied.first >= span.to_piece) return;
  const uint64_t pieces = span.to_piece - occupied.first;
  if (walked_ + pieces > kMaxWalked) {
    untold_ns_ += occupied.busy_ns;
    AddPart(CauseTable::Named(CauseTable::Name::kUntold), occupied.busy_ns);
    return;
  }
  walked_ += pieces;
  for (uint64_t number = occupied.first; number < span.to_piece; ++number) {
    const Piece& piece = timeline.At(number);
    int64_t ns = piece.end_ns - std::max(piece.begin_ns, span.from_ns);
    if (timeline.has_vm_times()) {
      const VmTimes vm = timeline.VmWithin(number, span.from_ns, piece.end_ns);
      ns -= vm.jit_ns + vm.ic_ns;
      AddPart({Kind::kJit, 0, 0}, vm.jit_ns);
      AddPart({Kind::kIc, 0, 0}, vm.ic_ns);
    }
    const CauseTable::Owned owned = CauseTable::Of(piece, *ledger);
    AddPart(owned.cause, ns, owned.open);
  }
}

// As a report charges causes with stacks: a stretch has the samples that were
// taken in it.
void Blocks::AddFrames(uint32_t row, const CriticalPath& path,
                       const LoopTimeline& timeline, BlameLedger* ledger) {
  const SampleTimeline& samples = timeline.samples();
  const CauseTable::Cause own = CauseTable::Named(CauseTable::Name::kOwn);
  for (const QueueSpan& span : path.spans) {
    samples.ForEach(span.from_ns, span.to_ns,
                    [&](int64_t ns, double weight_ns, uint32_t frame) {
                      const uint64_t number = timeline.PieceAfter(ns);
                      if (number == timeline.next()) return;
                      const CauseTable::Owned owned =
                          CauseTable::Of(timeline.At(number), *ledger);
                      frames_.Add(row, owned.cause, frame,
                                  static_cast<int64_t>(weight_ns), owned.open,
                                  ledger);
                    });
  }
  for (const ExecSpan& span : path.execs) {
    samples.ForEach(span.from_ns, span.to_ns,
                    [&](int64_t, double weight_ns, uint32_t frame) {
                      frames_.Add(row, own, frame,
                                  static_cast<int64_t>(weight_ns), 0, ledger);
                    });
  }
}

void Blocks::Add(uint32_t row, const CriticalPath& path, bool tail,
                 const LoopTimeline& timeline, BlameLedger* ledger) {
  parts_.clear();
  for (const QueueSpan& span : path.spans) AddSpan(span, timeline, ledger);
  for (const Part& part : parts_) {
    sums_.Add(row, part.cause, 0, part.ns, part.open, ledger);
  }
  if (timeline.samples().empty()) return;
  if (frames_.size() < (tail ? 2 * kMostFrames : kMostFrames)) {
    AddFrames(row, path, timeline, ledger);
  } else {
    ++without_frames_;
  }
}

void Blocks::EndFile(BlameLedger* ledger) {
  sums_.EndFile(ledger);
  frames_.EndFile(ledger);
}

}  // namespace edgewise
