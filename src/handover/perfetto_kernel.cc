#include "handover/perfetto_kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

using Note = PerfettoPackets::Note;

constexpr char kCategory[] = "kernel";
// Of one event; a damaged file may have no ends.
constexpr size_t kMostParts = 4096;

// A thread may call itself anything.
std::string NameOf(std::string_view given) {
  std::string name(given);
  for (char& byte : name) {
    if (byte < ' ' || byte > '~') byte = '?';
  }
  return name;
}

std::string TextOf(const KernelLine& line) {
  if (line.kind == 'S') return absl::StrCat("system call ", line.numbers[0]);
  const std::string by = NameOf(line.rest);
  return line.kind == 'P' ? "preempted by " + by : "slept, woken by " + by;
}

}  // namespace

uint64_t PerfettoKernel::NewTrack(const char* what) {
  packets_->Track(++*tracks_, thread_->track,
                  absl::StrCat(what, " under the ", thread_->name));
  return *tracks_;
}

void PerfettoKernel::Add(const std::string& directory, const Thread& thread) {
  thread_ = &thread;
  track_ = 0;
  parts_.clear();
  devices_.clear();
  ForEachKernelLine(directory, thread.process, [this](const KernelLine& line) {
    if (line.thread == thread_->number) Take(line);
  });
}

void PerfettoKernel::Take(const KernelLine& line) {
  if (line.kind == 'E') return AddEvent(line);
  if (line.kind == 'B') return AddRequest(line);
  if (parts_.size() >= kMostParts) return;
  parts_.push_back({line, TextOf(line)});
  parts_.back().line.rest = {};  // of this line only
}

// A part lies in the event, and in each part that is longer: what does not, as
// an instant was missed, is cut.
void PerfettoKernel::AddEvent(const KernelLine& event) {
  static constexpr std::array<const char*, 8> kSums = {
      "calls",   "calls_ns",   "preempted_ns", "blocked_ns",
      "disk_ns", "softirq_ns", "faults",       "cache_misses"};
  if (track_ == 0) track_ = NewTrack("kernel");
  std::vector<Note> notes = {{"event", static_cast<int64_t>(event.event)}};
  for (size_t i = 0; i < kSums.size(); ++i) {
    notes.push_back({kSums[i], event.numbers[i]});
  }
  packets_->Begin(
      track_, event.begin_ns,
      {.name = "an event's", .category = kCategory, .notes = notes});
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const Part& one, const Part& other) {
                     return std::pair(one.line.begin_ns, -one.line.end_ns) <
                            std::pair(other.line.begin_ns, -other.line.end_ns);
                   });
  std::vector<int64_t> ends = {event.end_ns};
  int64_t at_ns = event.begin_ns;
  const auto end_until = [&](int64_t ns) {
    for (; ends.size() > 1 && ends.back() <= ns; ends.pop_back()) {
      packets_->End(track_, at_ns = ends.back());
    }
  };
  for (const Part& part : parts_) {
    if (part.line.event != event.event) continue;
    end_until(part.line.begin_ns);
    const int64_t from_ns = std::max(at_ns, part.line.begin_ns);
    const int64_t to_ns = std::min(ends.back(), part.line.end_ns);
    if (to_ns <= from_ns) continue;
    std::array<Note, 2> said;
    size_t count = 0;
    if (part.line.kind != 'S') {
      said[count++] = {"thread", part.line.numbers.back()};
    }
    if (part.line.kind == 'W') said[count++] = {"call", part.line.numbers[0]};
    packets_->Begin(track_, at_ns = from_ns,
                    {.name = part.name,
                     .category = kCategory,
                     .notes = std::span<const Note>(said).first(count)});
    ends.push_back(to_ns);
  }
  end_until(event.end_ns);
  packets_->End(track_, event.end_ns);
  parts_.clear();
}

void PerfettoKernel::AddRequest(const KernelLine& request) {
  const auto free = std::find_if(
      devices_.begin(), devices_.end(),
      [&](const Lane& lane) { return lane.free_ns <= request.begin_ns; });
  Lane& lane = free != devices_.end()
                   ? *free
                   : devices_.emplace_back(Lane{NewTrack("devices"), 0});
  lane.free_ns = request.end_ns;
  const int64_t device = request.numbers[0];
  const std::array<Note, 2> notes = {
      Note{"bytes", request.numbers[1]},
      {"event", static_cast<int64_t>(request.event)}};
  packets_->Begin(
      lane.track, request.begin_ns,
      {.name = absl::StrCat("device ", device >> 20, ":", device & 0xfffff),
       .category = kCategory,
       .notes = notes});
  packets_->End(lane.track, request.end_ns);
}

}  // namespace edgewise
