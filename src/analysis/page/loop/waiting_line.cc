#include "analysis/page/loop/waiting_line.h"

#include <algorithm>

#include "analysis/page/store/bytes.h"

namespace edgewise {
namespace {

constexpr size_t kRead = size_t{1} << 12;
constexpr size_t kMostBytes = 15;  // of an event

// The run that goes on first is on top.
constexpr auto kLater = [](const auto& a, const auto& b) {
  return b.events[b.next] < a.events[a.next];
};

}  // namespace

// If it cannot be written, memory holds it, and all that follows.
void WaitingLine::WritePart() {
  next_part_ = SIZE_MAX;
  if (file_ == nullptr) {
    auto created = ScratchFile::Create(directories_);
    if (!created.ok()) return;
    file_ = *std::move(created);
  }
  std::sort(events_.begin(), events_.end());
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
    std::sort(events_.begin(), events_.end());
    heap->push_back({0, 0, 0, std::move(events_), 0});
    events_.clear();
  }
  next_part_ = part_;
  if (status.ok()) std::make_heap(heap->begin(), heap->end(), kLater);
  return status;
}

absl::Status WaitingLine::Advance(std::vector<Run>* heap) const {
  Run& only = heap->front();
  if (heap->size() == 1 && only.next + 1 < only.events.size()) {
    ++only.next;
    return absl::OkStatus();
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
