#include "analysis/stacks/sample_parts.h"

#include <algorithm>
#include <utility>

namespace edgewise {

// Who is preempted, mostly by who asks, is where it would be else.
SampleParts::SampleParts(const Event& event) : event_(event) {
  for (const InnerRecord& gc : event.inner) {
    if (gc.kind != RecordKind::kGc) continue;
    away_.push_back({gc.time_ns, gc.end_ns});
    rests_.push_back({gc.time_ns, gc.end_ns});
  }
  for (const OffSpan& off : event.off) {
    away_.push_back({off.begin_ns, off.end_ns});
    if (off.kind == OffCpuKind::kFault || off.kind == OffCpuKind::kBlocked) {
      rests_.push_back({off.begin_ns, off.end_ns});
    }
  }
  std::sort(away_.begin(), away_.end(), [](const Stretch& a, const Stretch& b) {
    return a.from_ns < b.from_ns;
  });
}

bool SampleParts::Rests(int64_t ns) const {
  return std::any_of(rests_.begin(), rests_.end(), [ns](const Stretch& rest) {
    return rest.from_ns <= ns && ns < rest.to_ns;
  });
}

// What it ran of this.
void SampleParts::Add(int64_t from_ns, int64_t to_ns, int64_t in_ns,
                      size_t sample) {
  for (const Stretch& away : away_) {
    if (away.from_ns >= to_ns) break;
    Put(from_ns, away.from_ns, in_ns, sample);
    from_ns = std::max(from_ns, away.to_ns);
  }
  Put(from_ns, to_ns, in_ns, sample);
}

void SampleParts::Put(int64_t from_ns, int64_t to_ns, int64_t in_ns,
                      size_t sample) {
  if (from_ns >= to_ns) return;
  const auto weight_ns = static_cast<double>(to_ns - from_ns);
  if (!parts_.empty() && parts_.back().sample == sample &&
      parts_.back().to_ns == from_ns) {
    parts_.back().to_ns = to_ns;
    parts_.back().weight_ns += weight_ns;
  } else {
    parts_.push_back({from_ns, to_ns, std::clamp(in_ns, from_ns, to_ns - 1),
                      sample, weight_ns});
  }
}

double SampleParts::RanNs() const {
  double sum_ns = 0;
  for (const Part& part : parts_) sum_ns += part.weight_ns;
  return sum_ns;
}

std::vector<SampleParts::Part> SampleParts::Take() {
  double pause_ns = 0;
  size_t last = kNone;  // that stands for what is around it
  int64_t at_ns = event_.begin_ns;
  for (size_t i = 0; i < event_.samples.size(); ++i) {
    const StackSample& sample = event_.samples[i];
    const int64_t asked_ns = std::max(at_ns, sample.asked_ns);
    const bool rests = Rests(sample.asked_ns);
    if (last == kNone) pause_ns += static_cast<double>(sample.before_ns);
    if (rests) Add(at_ns, asked_ns, at_ns, kNone);
    const int64_t from_ns = rests ? asked_ns : at_ns;
    at_ns = std::clamp(sample.answered_ns, from_ns,
                       std::max(from_ns, event_.end_ns));
    Add(from_ns, at_ns, asked_ns, i);
    if (rests) continue;
    for (Part& part : parts_) {
      if (part.sample == kNone) part.sample = i;
    }
    last = i;
  }
  Add(at_ns, event_.end_ns, at_ns, last);
  // That of which nothing is known is what the others stand for.
  const double stands_for =
      last == kNone ? 1 : std::max(1.0, pause_ns / std::max(1.0, RanNs()));
  for (Part& part : parts_) {
    if (part.sample == kNone) part.sample = last;
    part.weight_ns *= stands_for;
  }
  std::erase_if(parts_, [](const Part& part) { return part.sample == kNone; });
  return std::move(parts_);
}

}  // namespace edgewise
