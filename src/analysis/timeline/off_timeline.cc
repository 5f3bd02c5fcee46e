#include "analysis/timeline/off_timeline.h"

#include <algorithm>
#include <numeric>

namespace edgewise {

int64_t RanFor(std::span<const OffSpan> off, int64_t from_ns, int64_t to_ns) {
  int64_t ran_ns = to_ns - from_ns;
  for (const OffSpan& span : off) {
    ran_ns -= std::max<int64_t>(
        0, std::min(span.end_ns, to_ns) - std::max(span.begin_ns, from_ns));
  }
  return ran_ns;
}

OffTimes& OffTimes::operator+=(const OffTimes& other) {
  for (size_t kind = 0; kind < ns.size(); ++kind) ns[kind] += other.ns[kind];
  return *this;
}

int64_t OffTimes::total_ns() const {
  return std::accumulate(ns.begin(), ns.end(), int64_t{0});
}

void OffTimeline::Push(const OffSpan& span) {
  if (span.end_ns <= span.begin_ns) return;
  Held held{span, {}};
  if (!held_.empty()) {
    const auto& [last, before] = held_.back();
    held.before = before;
    held.before.ns[static_cast<size_t>(last.kind)] +=
        last.end_ns - last.begin_ns;
  }
  held_.push_back(held);
  if (held_.size() > kWindow) held_.pop_front();
}

OffTimes OffTimeline::Between(int64_t from_ns, int64_t to_ns) const {
  const auto first = std::partition_point(
      held_.begin(), held_.end(),
      [&](const Held& held) { return held.span.end_ns <= from_ns; });
  const auto end = std::partition_point(
      first, held_.end(),
      [&](const Held& held) { return held.span.begin_ns < to_ns; });
  if (first == end) return {};
  const auto last = std::prev(end);
  OffTimes sum;
  for (size_t kind = 0; kind < sum.ns.size(); ++kind) {
    sum.ns[kind] = last->before.ns[kind] - first->before.ns[kind];
  }
  // The first may begin before, the last end after.
  const auto at = [](const Held& held) -> size_t {
    return static_cast<size_t>(held.span.kind);
  };
  sum.ns[at(*last)] += last->span.end_ns - last->span.begin_ns;
  sum.ns[at(*first)] -= std::max<int64_t>(0, from_ns - first->span.begin_ns);
  sum.ns[at(*last)] -= std::max<int64_t>(0, last->span.end_ns - to_ns);
  return sum;
}

}  // namespace edgewise
