#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "analysis/page/store/scratch_file.h"

namespace edgewise {

// How many requests were ready and waited for a loop, over time. A wait is told
// when its request ends, so waits come in any order: they are sorted, in parts
// that lie on disk if there are many.
class WaitingLine {
 public:
  static constexpr size_t kPart = size_t{1} << 20;

  // `directories`: for the parts. If none can hold them, memory does.
  explicit WaitingLine(std::vector<std::string> directories,
                       size_t part = kPart)
      : directories_(std::move(directories)), part_(part) {}

  void Waited(int64_t from_ns, int64_t to_ns) {
    if (from_ns == to_ns) return;
    Add({from_ns, 0, Event::kReady});
    Add({to_ns, 0, Event::kBegun});
  }
  // How many others waited then is wanted.
  void Came(uint32_t row, int64_t ns) { Add({ns, row, Event::kCame}); }

  // Calls came(row, waiting) for each that came, and changed(ns, waiting) for
  // each moment at which it changed, in order of time; then forgets all.
  // Unavailable: parts cannot be read back.
  template <typename CameSink, typename ChangedSink>
  absl::Status Finish(CameSink&& came, ChangedSink&& changed) {
    int64_t waiting = 0;
    int64_t at_ns = 0;
    int64_t told = 0;
    const auto tell = [&] {
      if (waiting != told) changed(at_ns, static_cast<uint64_t>(waiting));
      told = waiting;
    };
    absl::Status status = ForEach([&](const Event& event) {
      if (event.ns != at_ns) tell();
      at_ns = event.ns;
      if (event.what == Event::kBegun) --waiting;
      if (event.what == Event::kReady) ++waiting;
      if (event.what == Event::kCame) {
        came(event.row, static_cast<uint64_t>(waiting));
      }
    });
    tell();
    return status;
  }

 private:
  struct Event {
    int64_t ns;
    uint32_t row;  // kCame
    // Of one moment, in this order: who comes then does not wait yet.
    enum What : uint32_t { kBegun, kCame, kReady } what;
    bool operator<(const Event& other) const {
      return ns != other.ns ? ns < other.ns : what < other.what;
    }
  };
  // A sorted part, as far as it lies on disk, and what has been read of it.
  struct Run {
    uint64_t at = 0;
    uint64_t bytes_left = 0;
    int64_t last_ns = 0;  // of what was read
    std::vector<Event> events;
    size_t next = 0;
  };

  void Add(const Event& event) {
    events_.push_back(event);
    if (events_.size() == next_part_) WritePart();
  }
  void WritePart();
  absl::Status Fill(Run* run) const;
  absl::Status OpenRuns(std::vector<Run>* heap);
  // Takes the first event of a heap away.
  absl::Status Advance(std::vector<Run>* heap) const;

  template <typename Sink>
  absl::Status ForEach(Sink&& sink) {
    std::vector<Run> heap;
    absl::Status status = OpenRuns(&heap);
    while (status.ok() && !heap.empty()) {
      const Run& first = heap.front();
      sink(first.events[first.next]);
      status = Advance(&heap);
    }
    file_.reset();
    return status;
  }

  const std::vector<std::string> directories_;
  const size_t part_;
  size_t next_part_ = part_;  // written when there are so many
  std::vector<Event> events_;
  std::vector<Run> runs_;
  std::unique_ptr<ScratchFile> file_;  // null: none was needed yet
};

}  // namespace edgewise
