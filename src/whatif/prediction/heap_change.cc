#include "whatif/prediction/heap_change.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

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

// How the bytes that survive grow with the room. Of those that survive a
// collection a share survives the next one too, and is promoted: objects die at
// that rate (exponentially), but for what lasts.
class Survival {
 public:
  // `lasting`: the share of what is promoted that lasts.
  Survival(const YoungHeap& heap, double lasting)
      : lasting_(heap.promoted * lasting),
        first_(std::max(0.0, heap.survived - lasting_)),
        again_(first_ > 0
                   ? std::min(kMostAgain, (heap.promoted - lasting_) / first_)
                   : 0) {}

  // Of a collection, with `times` as much room: young and promoted.
  double All(double times) const { return After(2 * times); }
  double Promoted(double times) const {
    return After(2 * times) - After(times);
  }

 private:
  static constexpr double kMostAgain = 0.999;

  // What is alive of all that was allocated in so many of the recorded rooms.
  double After(double rooms) const {
    return first_ * (1 - std::pow(again_, rooms)) / (1 - again_) +
           lasting_ * rooms;
  }

  double lasting_;  // of one room, bytes
  double first_;    // survives its first collection, and does not last
  double again_;    // share of it that survives another
};

// The collections of a loop with another room, one recorded one after another.
class Collections {
 public:
  Collections(double bytes, const Line& cost, double lasting)
      : bytes_(bytes), cost_(cost), lasting_(lasting) {}

  // One that is not of young objects: the less is promoted, the rarer it is.
  void AddOther(const LoopPause& pause, const YoungHeap& heap) {
    due_ += promoted_;
    if (due_ < kFull) {
      since_ns_ += pause.after_ns;
      return;
    }
    due_ -= 1;
    Come(pause.after_ns, pause.ns, heap);
  }

  // One that came when the recorded room was full.
  void AddYoung(const LoopPause& pause, const YoungHeap& heap) {
    const double times = bytes_ / heap.semi_space;
    const Survival survival(heap, lasting_);
    const double before = cost_.At(survival.All(1));
    const double after = cost_.At(survival.All(times));
    const double ns = before > 0 ? pause.ns * after / before : pause.ns;
    if (const double was = survival.Promoted(1); was > 0) {
      promoted_ = std::min(1.0, survival.Promoted(times) / (was * times));
    }
    double left = 1;  // of what was run until it
    while (filled_ + left / times >= kFull) {
      const double part = std::min(left, (1 - filled_) * times);
      Come(part * pause.after_ns, ns, heap);
      left -= part;
      filled_ = 0;
    }
    since_ns_ += left * pause.after_ns;
    filled_ += left / times;
  }

  void Replace(LoopModel* model) {
    model->collections = std::move(collections_);
    model->heaps = std::move(heaps_);
  }

 private:
  void Come(double after_ns, double ns, const YoungHeap& heap) {
    collections_.push_back(
        {static_cast<float>(since_ns_ + after_ns), static_cast<float>(ns)});
    heaps_.push_back(heap);
    since_ns_ = 0;
  }

  const double bytes_;
  const Line cost_;
  const double lasting_;
  std::vector<LoopPause> collections_;
  std::vector<YoungHeap> heaps_;
  double since_ns_ = 0;  // that was run since the last one
  double filled_ = 0;    // of the room
  double promoted_ = 1;  // share of what was promoted that is so still
  double due_ = 0;       // of another collection of the rest
};

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
  if (model->lasting < 0) {
    assumed->push_back(
        "what is promoted is garbage soon: no two collections of the whole "
        "heap "
        "were recorded");
  }
  Collections changed(bytes, cost, std::max(0.F, model->lasting));
  for (size_t i = 0; i < model->collections.size(); ++i) {
    const YoungHeap& heap = model->heaps[i];
    if (IsYoung(heap)) {
      changed.AddYoung(model->collections[i], heap);
    } else {
      changed.AddOther(model->collections[i], heap);
    }
  }
  changed.Replace(model);
  return absl::OkStatus();
}

}  // namespace edgewise
