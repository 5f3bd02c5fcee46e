#include "analysis/builder/vm_shares.h"

#include <algorithm>
#include <cmath>

namespace edgewise {

void VmShares::Clear() {
  stretches_.clear();
  next_ = 0;
}

void VmShares::Measure(const Event& event) {
  int64_t begin_ns = event.begin_ns;
  int64_t gc_ns = 0;  // for which it ran
  for (const InnerRecord& record : event.inner) {
    if (record.kind == RecordKind::kGc) {
      gc_ns += RanFor(event.off, record.time_ns, record.end_ns);
    }
    if (record.kind != RecordKind::kTimes) continue;
    // Clocks are not read all at once: what was told may be a little more.
    const int64_t length_ns = std::max<int64_t>(
        0, RanFor(event.off, begin_ns, record.time_ns) - gc_ns);
    const int64_t jit_ns = std::min(record.jit_ns, length_ns);
    const int64_t ic_ns = std::min(record.ic_ns, length_ns - jit_ns);
    stretches_.push_back({record.time_ns, length_ns, {jit_ns, ic_ns}});
    begin_ns = record.time_ns;
    gc_ns = 0;
  }
}

// Never more than the part, and never less than what would not fit into the
// rest of the stretch.
VmTimes VmShares::ShareOf(const Stretch& stretch, int64_t part_ns) {
  const auto& [jit_ns, ic_ns] = stretch.times;
  if (part_ns == stretch.left_ns) return stretch.times;
  const double part =
      static_cast<double>(part_ns) / static_cast<double>(stretch.left_ns);
  const int64_t sum_ns = jit_ns + ic_ns;
  const auto share_ns = std::clamp<int64_t>(
      std::llround(static_cast<double>(sum_ns) * part),
      std::max<int64_t>(0, sum_ns - (stretch.left_ns - part_ns)),
      std::min(sum_ns, part_ns));
  const auto jit_share_ns = std::clamp<int64_t>(
      std::llround(static_cast<double>(jit_ns) * part),
      std::max<int64_t>(0, share_ns - ic_ns), std::min(jit_ns, share_ns));
  return {jit_share_ns, share_ns - jit_share_ns};
}

VmTimes VmShares::Take(int64_t begin_ns, int64_t end_ns) {
  VmTimes sum;
  while (next_ < stretches_.size() && begin_ns < end_ns) {
    Stretch& stretch = stretches_[next_];
    const int64_t part_ns =
        std::clamp<int64_t>(stretch.end_ns - begin_ns, 0,
                            std::min(end_ns - begin_ns, stretch.left_ns));
    const VmTimes share = ShareOf(stretch, part_ns);
    sum += share;
    stretch.times = stretch.times - share;
    stretch.left_ns -= part_ns;
    if (end_ns < stretch.end_ns) break;
    begin_ns = std::max(begin_ns, stretch.end_ns);
    ++next_;
  }
  return sum;
}

}  // namespace edgewise
