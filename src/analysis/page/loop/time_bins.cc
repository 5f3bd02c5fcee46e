#include "analysis/page/loop/time_bins.h"

#include <algorithm>

namespace edgewise {

void TimeBins::OnPiece(const Piece& piece) {
  if (piece.off) {
    Add(kOff + static_cast<size_t>(piece.why), piece.begin_ns, piece.end_ns);
    return;
  }
  Add(kBusy, piece.begin_ns, piece.end_ns);
  if (!piece.is_gc) return;
  const auto type = static_cast<GcType>(piece.type);
  const bool minor =
      type == GcType::kScavenge || type == GcType::kMinorMarkSweep;
  Add(minor ? kMinorGc : kMajorGc, piece.begin_ns, piece.end_ns);
}

void TimeBins::OnIdleOff(const OffSpan& span) {
  Add(kOff + static_cast<size_t>(span.kind), span.begin_ns, span.end_ns);
}

void TimeBins::Add(size_t kind, int64_t from_ns, int64_t to_ns) {
  while (from_ns < to_ns) {
    const int64_t number = from_ns >> shift_;
    const int64_t end_ns = std::min(to_ns, (number + 1) << shift_);
    if (bin_ == nullptr || number != number_) {
      bin_ = &bins_[number];
      number_ = number;
    }
    bin_->at(kind) += end_ns - from_ns;
    from_ns = end_ns;
    if (bins_.size() > kMost) Widen();
  }
}

void TimeBins::Widen() {
  std::map<int64_t, Bin> wider;
  for (const auto& [number, ns] : bins_) {
    Bin& sums = wider[number >> 1];
    for (size_t kind = 0; kind < kKinds; ++kind) sums[kind] += ns[kind];
  }
  bins_.swap(wider);
  bin_ = nullptr;
  ++shift_;
}

}  // namespace edgewise
