#include "whatif/model/collection_fitting.h"

#include <algorithm>
#include <utility>

#include "trace/record.h"

namespace edgewise {

void CollectionFitting::Add(const Piece& piece) {
  const auto ns = static_cast<float>(piece.end_ns - piece.begin_ns);
  // It goes on after the thread was displaced.
  if (since_ns_ == 0 && !collections_.empty() && piece.type == type_) {
    collections_.back().ns += ns;
    spans_.back().end_ns = piece.end_ns;
    return;
  }
  type_ = piece.type;
  const auto type = static_cast<GcType>(piece.type);
  collections_.push_back({static_cast<float>(since_ns_), ns, type});
  spans_.push_back(
      {piece.begin_ns, piece.end_ns,
       type == GcType::kScavenge || type == GcType::kMinorMarkSweep,
       type == GcType::kMarkSweepCompact});
  since_ns_ = 0;
}

// The first frees also what the program's start has left.
void CollectionFitting::NoteWhole(const HeapChange& heap) {
  if (promoted_.begun) {
    promoted_.promoted += promoted_.since;
    promoted_.freed += std::max(0.0, static_cast<double>(heap.old_before) -
                                         static_cast<double>(heap.old_after));
  }
  promoted_.begun = true;
  promoted_.since = 0;
}

// Both are in order of time.
void CollectionFitting::Fit(LoopModel* model) {
  model->heaps.resize(collections_.size());
  auto heap = heaps_.begin();
  for (size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    while (heap != heaps_.end() && heap->time_ns < span.begin_ns) ++heap;
    if (heap == heaps_.end()) break;
    if (heap->time_ns > span.end_ns || heap->semi_space == 0) continue;
    if (span.whole) NoteWhole(*heap);
    if (!span.young) continue;
    const uint64_t promoted = heap->old_after > heap->old_before
                                  ? heap->old_after - heap->old_before
                                  : 0;
    promoted_.since += static_cast<double>(promoted);
    model->heaps[i] = {static_cast<float>(heap->semi_space),
                       static_cast<float>(heap->young_after),
                       static_cast<float>(promoted)};
  }
  if (promoted_.promoted > 0) {
    model->lasting = static_cast<float>(
        std::clamp(1 - promoted_.freed / promoted_.promoted, 0.0, 1.0));
  }
  model->collections = std::move(collections_);
}

}  // namespace edgewise
