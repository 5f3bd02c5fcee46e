#include "analysis/page/loop/loop_windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

void LoopWindows::EndFile(uint32_t thread, BlameLedger* ledger) {
  TakeSlices(thread, ledger);
  next_window_ = windows_.size();
  waiting_ = 0;
  for (const auto& [from_ns, to_ns] : stretches_) {
    windows_.push_back({from_ns, to_ns, thread});
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

void LoopWindows::OnLength(int64_t at_ns, uint64_t waiting) {
  while (next_window_ < windows_.size()) {
    const Window& window = windows_[next_window_];
    if (at_ns < window.from_ns) break;
    const bool begins = !std::exchange(in_window_, true);
    if (begins && at_ns > window.from_ns) AddLength(window.from_ns, waiting_);
    if (at_ns < window.to_ns) {
      AddLength(at_ns, waiting);
      break;
    }
    ++next_window_;
    in_window_ = false;
  }
  waiting_ = waiting;
}

void LoopWindows::EndLengths() {
  for (; next_window_ < windows_.size(); ++next_window_) {
    if (!std::exchange(in_window_, false)) {
      AddLength(windows_[next_window_].from_ns, waiting_);
    }
  }
}

void LoopWindows::AddLength(int64_t at_ns, uint64_t waiting) {
  if (lengths_.size() == kMostLengths) return;
  lengths_.push_back({at_ns, windows_[next_window_].thread, waiting});
}

}  // namespace edgewise
