#include "analysis/page/blocks.h"

#include <algorithm>

namespace edgewise {

// A request has few causes.
void Blocks::AddPart(const CauseTable::Cause& cause, int64_t ns,
                     uint32_t pending_owner) {
  if (ns <= 0) return;
  const auto known =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
        return part.cause.kind == cause.kind &&
               part.cause.route == cause.route &&
               part.cause.type == cause.type && part.cause.told == cause.told &&
               part.pending_owner == pending_owner;
      });
  if (known != parts_.end()) {
    known->ns += ns;
  } else {
    parts_.push_back({cause, pending_owner, ns});
  }
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
    AddPart({Kind::kEvent, 0, 0, /*told=*/false}, occupied.busy_ns);
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
    if (piece.is_gc) {
      AddPart({Kind::kGc, 0, piece.type}, ns);
    } else if (piece.owner == 0) {
      AddPart({Kind::kEvent, 0, piece.type}, ns);
    } else if (ledger->IsOpen(piece.owner)) {
      AddPart({Kind::kRequest, 0, piece.type}, ns, piece.owner);
    } else {
      AddPart({Kind::kRequest, ledger->RouteOf(piece.owner), piece.type}, ns);
    }
  }
}

void Blocks::Add(uint32_t row, const CriticalPath& path,
                 const LoopTimeline& timeline, BlameLedger* ledger) {
  parts_.clear();
  for (const QueueSpan& span : path.spans) AddSpan(span, timeline, ledger);
  for (const Part& part : parts_) {
    if (part.pending_owner == 0) {
      sums_.Add(row, causes_->Intern(part.cause), part.ns);
      continue;
    }
    ledger->AddReference(part.pending_owner);
    pending_.push_back({row, part.pending_owner, part.cause.type, part.ns});
  }
  if (pending_.size() < look_again_) return;
  Resolve(ledger, /*all=*/false);
  look_again_ = std::max(look_again_, 2 * pending_.size());
}

void Blocks::Resolve(BlameLedger* ledger, bool all) {
  std::erase_if(pending_, [&](const Pending& part) {
    if (!all && ledger->IsOpen(part.owner)) return false;
    const CauseTable::Cause cause = {Blocker::Kind::kRequest,
                                     ledger->RouteOf(part.owner), part.type};
    sums_.Add(part.row, causes_->Intern(cause), part.ns);
    ledger->DropReference(part.owner);
    return true;
  });
}

}  // namespace edgewise
