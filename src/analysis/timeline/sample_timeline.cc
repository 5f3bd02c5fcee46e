#include "analysis/timeline/sample_timeline.h"

#include <algorithm>
#include <utility>

namespace edgewise {

void SampleTimeline::Push(int64_t from_ns, int64_t taken_ns, int64_t to_ns,
                          double weight_ns, uint32_t stack) {
  const int64_t parts =
      std::clamp((to_ns - from_ns) / kPartNs, int64_t{1}, kMostParts);
  for (int64_t i = 0; i < parts; ++i) {
    int64_t ns = from_ns + (to_ns - from_ns) * (2 * i + 1) / (2 * parts);
    if (parts == 1) ns = std::clamp(taken_ns, from_ns, to_ns);
    if (!samples_.empty()) ns = std::max(ns, samples_.back().ns);
    samples_.push_back({ns, weight_ns / static_cast<double>(parts), stack,
                        std::exchange(next_, {})});
  }
}

// Of the first sample that is not before `ns`.
SampleTimeline::Begins& SampleTimeline::BeginsAt(int64_t ns) {
  const auto at = std::lower_bound(
      samples_.begin(), samples_.end(), ns,
      [](const Sample& sample, int64_t time) { return sample.ns < time; });
  return at != samples_.end() ? at->begins : next_;
}

void SampleTimeline::Add(SampleRole role, int64_t from_ns, int64_t to_ns) {
  if (samples_.empty() || to_ns <= from_ns) return;
  ++BeginsAt(from_ns)[static_cast<size_t>(role)];
  --BeginsAt(to_ns)[static_cast<size_t>(role)];
}

}  // namespace edgewise
