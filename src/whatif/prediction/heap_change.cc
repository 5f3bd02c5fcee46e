#include "whatif/prediction/heap_change.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "whatif/prediction/line.h"

namespace edgewise {
namespace {

constexpr double kFull = 1 - 1e-9;   // but for what rounding takes
constexpr size_t kFewestHeaps = 20;  // collections that a line is fitted on

bool IsYoung(const YoungHeap& heap) { return heap.semi_space > 0; }

// Of a collection, ns, by the bytes that survive it.
Line CostOf(const LoopModel& model, std::vector<std::string>* assumed) {
  LineFit fit;
  for (size_t i = 0; i < model.heaps.size(); ++i) {
    const YoungHeap& heap = model.heaps[i];
    if (!IsYoung(heap)) continue;
    fit.Add(heap.survived + heap.promoted, model.collections[i].ns);
  }
  if (const std::optional<Line> line = fit.Find(); line.has_value()) {
    return *line;
  }
  assumed->push_back(
      "a collection takes as much longer as more survives it: in the recording "
      "about as much has survived each");
  return {0, fit.mean_x() > 0 ? fit.mean_y() / fit.mean_x() : 0};
}

// What would survive, were there `times` as much room. What lives long is
// promoted the second time, and has survived before: as much of it is there
// each time, and grows with the room; the rest is in use at any time.
double SurvivingOf(const YoungHeap& heap, double times) {
  const double in_use = std::max(0.F, heap.survived - heap.promoted);
  const double lasting = heap.survived + heap.promoted - in_use;
  return in_use + lasting * times;
}

}  // namespace

absl::Status ChangeSemiSpace(double bytes, LoopModel* model,
                             std::vector<std::string>* assumed) {
  const auto known = static_cast<size_t>(
      std::count_if(model->heaps.begin(), model->heaps.end(), IsYoung));
  if (known < kFewestHeaps) {
    return absl::FailedPreconditionError(
        absl::StrCat("the recording tells of ", known,
                     " collections what survived; at least ", kFewestHeaps,
                     " are needed to predict another semi-space"));
  }
  const Line cost = CostOf(*model, assumed);
  assumed->push_back(
      "young objects take all the room they may, and code runs as fast with "
      "more of them in memory");
  std::vector<Pause> collections;
  std::vector<YoungHeap> heaps;
  double since_ns = 0;  // that was run since the one before
  double filled = 0;    // of the new room
  for (size_t i = 0; i < model->collections.size(); ++i) {
    const Pause& pause = model->collections[i];
    const YoungHeap& heap = model->heaps[i];
    if (!IsYoung(heap)) {
      collections.push_back(
          {static_cast<float>(since_ns + pause.after_ns), pause.ns});
      heaps.push_back(heap);
      since_ns = 0;
      continue;
    }
    const double times = bytes / heap.semi_space;
    const double before = cost.At(heap.survived + heap.promoted);
    const double after = cost.At(SurvivingOf(heap, times));
    const double ns = before > 0 ? pause.ns * after / before : pause.ns;
    double left = 1;  // of what was run until it
    while (filled + left / times >= kFull) {
      const double part = std::min(left, (1 - filled) * times);
      collections.push_back(
          {static_cast<float>(since_ns + part * pause.after_ns),
           static_cast<float>(ns)});
      heaps.push_back(heap);
      left -= part;
      since_ns = filled = 0;
    }
    since_ns += left * pause.after_ns;
    filled += left / times;
  }
  model->collections = std::move(collections);
  model->heaps = std::move(heaps);
  return absl::OkStatus();
}

}  // namespace edgewise
