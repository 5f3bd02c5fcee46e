#include "analysis/page/loop/waiting_line.h"

#include <algorithm>
#include <numeric>

#include "analysis/page/store/bytes.h"

namespace edgewise {
namespace {

constexpr size_t kRead = size_t{1} << 12;
constexpr size_t kMostBytes = 15;  // of an event

// The run that goes on first is on top.
constexpr auto kLater = [](const auto& a, const auto& b) {
  return b.events[b.next] < a.events[a.next];
};

// By time, then by what: nearly in order already, so that few of them share one
// of many equal parts of the time.
template <typename Event>
void Sort(std::vector<Event>* events) {
  constexpr size_t kShare = 32;
  if (events->size() < 2) return;
  const auto [first, last] = std::minmax_element(
      events->begin(), events->end(),
      [](const Event& a, const Event& b) { return a.ns < b.ns; });
  const int64_t begin_ns = first->ns;
  const size_t parts = events->size() / kShare + 1;
  const double width =
      static_cast<double>(last->ns - begin_ns + 1) / static_cast<double>(parts);
  const auto part_of = [&](const Event& event) {
    return std::min(
        parts - 1,
        static_cast<size_t>(static_cast<double>(event.ns - begin_ns) / width));
  };
  std::vector<uint32_t> ends(parts + 1);
  for (const Event& event : *events) ++ends[part_of(event) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Event> sorted(events->size());
  for (const Event& event : *events) sorted[ends[part_of(event)]++] = event;
  uint32_t begin = 0;
  for (size_t part = 0; part < parts; begin = ends[part++]) {
    std::sort(sorted.begin() + begin, sorted.begin() + ends[part]);
  }
  events->swap(sorted);
}

}  // namespace

// If it cannot be written, memory holds it, and all that follows.
void WaitingLine::WritePart() {
  next_part_ = SIZE_MAX;
  if (file_ == nullptr) {
    auto created = ScratchFile::Create(directories_);
    if (!created.ok()) return;
    file_ = *std::move(created);
  }
  Sort(&events_);
  std::string bytes;
  int64_t last_ns = 0;
  for (const Event& event : events_) {
    PutNumber(static_cast<uint64_t>(event.ns - last_ns) << 2 | event.what,
              &bytes);
    if (event.what == Event::kCame) PutNumber(event.row, &bytes);
    last_ns = event.ns;
  }
  const uint64_t at = file_->Append(bytes);
  if (!file_->Flush().ok()) return;
  runs_.push_back({at, bytes.size(), 0, {}, 0});
  events_.clear();
  next_part_ = part_;
}

absl::Status WaitingLine::Fill(Run* run) const {
  std::string bytes(std::min<uint64_t>(run->bytes_left, kRead), '\0');
  absl::Status status = file_->Read(run->at, bytes.size(), bytes.data());
  if (!status.ok()) return status;
  const bool last = bytes.size() == run->bytes_left;
  const size_t whole = last ? bytes.size() : bytes.size() - kMostBytes;
  NumberReader reader(bytes);
  run->events.clear();
  run->next = 0;
  while (reader.at() < whole) {
    const uint64_t what = reader.Next();
    Event event{run->last_ns + static_cast<int64_t>(what >> 2), 0,
                static_cast<Event::What>(what & 3)};
    if (event.what == Event::kCame) {
      event.row = static_cast<uint32_t>(reader.Next());
    }
    run->last_ns = event.ns;
    run->events.push_back(event);
  }
  run->at += reader.at();
  run->bytes_left -= reader.at();
  return status;
}

absl::Status WaitingLine::OpenRuns(std::vector<Run>* heap) {
  heap->swap(runs_);
  absl::Status status;
  for (Run& run : *heap) {
    if (status.ok()) status = Fill(&run);
  }
  if (!events_.empty()) {
    Sort(&events_);
    heap->push_back({0, 0, 0, std::move(events_), 0});
    events_.clear();
  }
  next_part_ = part_;
  if (status.ok()) std::make_heap(heap->begin(), heap->end(), kLater);
  return status;
}

absl::Status WaitingLine::Advance(std::vector<Run>* heap) const {
  // Parts overlap little: mostly the first goes on.
  Run& first = heap->front();
  if (first.next + 1 < first.events.size()) {
    const Event& next = first.events[first.next + 1];
    const auto goes_on = [&](size_t other) {
      return other >= heap->size() ||
             !((*heap)[other].events[(*heap)[other].next] < next);
    };
    if (goes_on(1) && goes_on(2)) {
      ++first.next;
      return absl::OkStatus();
    }
  }
  std::pop_heap(heap->begin(), heap->end(), kLater);
  Run& run = heap->back();
  if (++run.next == run.events.size()) {
    if (run.bytes_left == 0) {
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
