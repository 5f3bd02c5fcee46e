#include "analysis/page/loop/waiting_line.h"

#include <algorithm>

namespace edgewise {
namespace {

// The run that goes on first is on top.
constexpr auto kLater = [](const auto& a, const auto& b) {
  return b.events[b.next] < a.events[a.next];
};

}  // namespace

void WaitingLine::SortEvents() { std::sort(events_.begin(), events_.end()); }

void WaitingLine::WritePart() {
  SortEvents();
  const uint64_t at =
      file_->Append({reinterpret_cast<const char*>(events_.data()),
                     events_.size() * sizeof(Event)});
  runs_.push_back({at, events_.size(), {}, 0});
  events_.clear();
}

absl::Status WaitingLine::Fill(Run* run) const {
  run->events.resize(std::min<uint64_t>(run->left, kRead));
  run->next = 0;
  const size_t bytes = run->events.size() * sizeof(Event);
  absl::Status status =
      file_->Read(run->at, bytes, reinterpret_cast<char*>(run->events.data()));
  run->at += bytes;
  run->left -= run->events.size();
  return status;
}

absl::Status WaitingLine::OpenRuns(std::vector<Run>* heap) {
  if (!events_.empty()) WritePart();
  *heap = std::move(runs_);
  runs_.clear();
  absl::Status status = file_->Flush();
  for (Run& run : *heap) {
    if (status.ok()) status = Fill(&run);
  }
  if (status.ok()) std::make_heap(heap->begin(), heap->end(), kLater);
  return status;
}

absl::Status WaitingLine::Advance(std::vector<Run>* heap) const {
  std::pop_heap(heap->begin(), heap->end(), kLater);
  Run& run = heap->back();
  if (++run.next == run.events.size()) {
    if (run.left == 0) {
      heap->pop_back();
      return absl::OkStatus();
    }
    absl::Status status = Fill(&run);
    if (!status.ok()) return status;
  }
  std::push_heap(heap->begin(), heap->end(), kLater);
  return absl::OkStatus();
}

}  // namespace edgewise
