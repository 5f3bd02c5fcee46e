#include "analysis/page/loop/loop_windows.h"

#include <algorithm>

namespace edgewise {

void LoopWindows::Cover(int64_t from_ns, int64_t to_ns,
                        const LoopTimeline& timeline, BlameLedger* ledger) {
  const uint64_t end = timeline.next();
  uint64_t number = timeline.PieceAfter(from_ns);
  if (end - number > kMostPieces) {
    number = end - kMostPieces;
    from_ns = timeline.At(number).begin_ns;
  }
  if (slices_.size() + held_.size() + (end - number) > kMostSlices) {
    ++left_out_;
    return;
  }
  file_windows_.push_back({from_ns, std::max(from_ns, to_ns), 0});
  for (; number < end; ++number) {
    if (!held_.contains(number)) Hold(number, timeline.At(number), ledger);
  }
}

void LoopWindows::Hold(uint64_t number, const Piece& piece,
                       BlameLedger* ledger) {
  Held held{piece, 0, 0};
  if (!piece.is_gc && piece.owner != 0) {
    if (ledger->IsOpen(piece.owner)) {
      ledger->AddReference(piece.owner);
      held.pending_owner = piece.owner;
    } else {
      held.route = ledger->RouteOf(piece.owner);
    }
  }
  held_.emplace(number, held);
}

void LoopWindows::EndFile(uint32_t thread, std::span<const int64_t> ready_ns,
                          std::span<const int64_t> begun_ns,
                          BlameLedger* ledger) {
  TakeSlices(thread, ledger);
  std::sort(
      file_windows_.begin(), file_windows_.end(),
      [](const Window& a, const Window& b) { return a.from_ns < b.from_ns; });
  const size_t first = windows_.size();
  for (const Window& window : file_windows_) {
    if (windows_.size() > first && window.from_ns <= windows_.back().to_ns) {
      windows_.back().to_ns = std::max(windows_.back().to_ns, window.to_ns);
    } else {
      windows_.push_back({window.from_ns, window.to_ns, thread});
    }
  }
  file_windows_.clear();
  for (size_t i = first; i < windows_.size(); ++i) {
    TakeLengths(windows_[i], ready_ns, begun_ns);
  }
}

// Pieces of one slice, one after the other, are one again.
void LoopWindows::TakeSlices(uint32_t thread, BlameLedger* ledger) {
  using Kind = Blocker::Kind;
  std::vector<uint64_t> numbers;
  numbers.reserve(held_.size());
  for (const auto& [number, held] : held_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  uint64_t before = 0;
  for (const uint64_t number : numbers) {
    const Held& held = held_.at(number);
    const Piece& piece = held.piece;
    uint32_t route = held.route;
    if (held.pending_owner != 0) {
      route = ledger->RouteOf(held.pending_owner);
      ledger->DropReference(held.pending_owner);
    }
    const Kind kind = piece.is_gc        ? Kind::kGc
                      : piece.owner != 0 ? Kind::kRequest
                                         : Kind::kEvent;
    const uint32_t cause = causes_->Intern({kind, route, piece.type});
    const uint8_t off =
        piece.off ? static_cast<uint8_t>(1 + static_cast<int>(piece.why)) : 0;
    const bool follows = number == before + 1 && before != 0 &&
                         slices_.back().end_ns == piece.begin_ns &&
                         slices_.back().cause == cause &&
                         slices_.back().off == off;
    if (follows) {
      slices_.back().end_ns = piece.end_ns;
    } else {
      slices_.push_back({piece.begin_ns, piece.end_ns, thread, cause, off});
    }
    before = number;
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
