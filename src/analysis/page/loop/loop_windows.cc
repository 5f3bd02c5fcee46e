#include "analysis/page/loop/loop_windows.h"

#include <algorithm>
#include <iterator>

namespace edgewise {

void LoopWindows::Cover(int64_t from_ns, int64_t to_ns,
                        const LoopTimeline& timeline) {
  const uint64_t end = timeline.next();
  uint64_t number = timeline.PieceAfter(from_ns);
  if (end - number > kMostPieces) {
    number = end - kMostPieces;
    from_ns = timeline.At(number).begin_ns;
  }
  wanted_ += end - number;
  if (wanted_ > kMostSlices) {
    ++left_out_;
    return;
  }
  // With all that it touches it is one stretch.
  auto at = stretches_.upper_bound(from_ns);
  if (at != stretches_.begin() && std::prev(at)->second >= from_ns) --at;
  while (at != stretches_.end() && at->first <= to_ns) {
    from_ns = std::min(from_ns, at->first);
    to_ns = std::max(to_ns, at->second);
    at = stretches_.erase(at);
  }
  stretches_.emplace_hint(at, from_ns, to_ns);
}

void LoopWindows::OnPiece(const Piece& piece, BlameLedger* ledger) {
  if (stretches_.empty()) return;
  const auto after = stretches_.lower_bound(piece.end_ns);
  if (after == stretches_.begin()) return;
  if (std::prev(after)->second <= piece.begin_ns) return;
  const CauseTable::Owned owned = CauseTable::Of(piece, *ledger);
  if (owned.open != 0) ledger->AddReference(owned.open);
  held_.push_back({piece, owned});
}

void LoopWindows::EndFile(uint32_t thread, std::span<const int64_t> ready_ns,
                          std::span<const int64_t> begun_ns,
                          BlameLedger* ledger) {
  TakeSlices(thread, ledger);
  for (const auto& [from_ns, to_ns] : stretches_) {
    windows_.push_back({from_ns, to_ns, thread});
    TakeLengths(windows_.back(), ready_ns, begun_ns);
  }
  stretches_.clear();
}

// Pieces of one slice, one after the other, are one again.
void LoopWindows::TakeSlices(uint32_t thread, BlameLedger* ledger) {
  const size_t first = slices_.size();
  for (const Held& held : held_) {
    const Piece& piece = held.piece;
    CauseTable::Cause told = held.owned.cause;
    if (held.owned.open != 0) {
      told.route = ledger->RouteOf(held.owned.open);
      ledger->DropReference(held.owned.open);
    }
    const uint32_t cause = causes_->Intern(told);
    const uint8_t off =
        piece.off ? static_cast<uint8_t>(1 + static_cast<int>(piece.why)) : 0;
    const bool follows =
        slices_.size() > first && slices_.back().end_ns == piece.begin_ns &&
        slices_.back().cause == cause && slices_.back().off == off;
    if (follows) {
      slices_.back().end_ns = piece.end_ns;
    } else {
      slices_.push_back({piece.begin_ns, piece.end_ns, thread, cause, off});
    }
  }
  held_.clear();
}

void LoopWindows::TakeLengths(const Window& window,
                              std::span<const int64_t> ready_ns,
                              std::span<const int64_t> begun_ns) {
  auto ready =
      std::upper_bound(ready_ns.begin(), ready_ns.end(), window.from_ns);
  auto begun =
      std::upper_bound(begun_ns.begin(), begun_ns.end(), window.from_ns);
  int64_t waiting = (ready - ready_ns.begin()) - (begun - begun_ns.begin());
  int64_t at_ns = window.from_ns;
  while (lengths_.size() < kMostLengths) {
    lengths_.push_back({at_ns, window.thread,
                        static_cast<uint64_t>(std::max<int64_t>(0, waiting))});
    at_ns = window.to_ns;
    if (ready != ready_ns.end()) at_ns = std::min(at_ns, *ready);
    if (begun != begun_ns.end()) at_ns = std::min(at_ns, *begun);
    if (at_ns >= window.to_ns) return;
    for (; ready != ready_ns.end() && *ready == at_ns; ++ready) ++waiting;
    for (; begun != begun_ns.end() && *begun == at_ns; ++begun) --waiting;
  }
}

}  // namespace edgewise
