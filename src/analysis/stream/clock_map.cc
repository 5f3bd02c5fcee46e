#include "analysis/stream/clock_map.h"

#include <algorithm>

namespace edgewise {

void ClockMap::Reset() { *this = ClockMap(); }

void ClockMap::Push(const Segment& segment) {
  if (has_rate_) {
    if (past_.size() < kSegments) {
      past_.push_back(current_);
    } else {
      past_[past_next_] = current_;
      past_next_ = (past_next_ + 1) % kSegments;
    }
  }
  current_ = segment;
  current_span_ = 0;
  has_rate_ = true;
}

int64_t ClockMap::Apply(const Segment& segment, uint64_t ticks) {
  const auto delta =
      static_cast<double>(static_cast<int64_t>(ticks - segment.ticks));
  const double offset = delta * segment.rate;
  const double ns = offset + static_cast<double>(segment.ns);
  if (ns <= 0) return 0;
  if (ns >= static_cast<double>(kMaxNs)) return kMaxNs;
  // The large part is added as an integer: a double holds a monotonic time of
  // more than 104 days only to the next few nanoseconds.
  return segment.ns + static_cast<int64_t>(offset + (offset < 0 ? -0.5 : 0.5));
}

int64_t ClockMap::ToNsAnywhere(uint64_t ticks) const {
  return ticks >= current_.from_ticks ? Apply(current_, ticks) : Earlier(ticks);
}

bool ClockMap::Advance(uint64_t ticks, int64_t monotonic_ns) {
  monotonic_ns = std::clamp<int64_t>(monotonic_ns, 0, kMaxNs);
  if (!started_) {
    started_ = true;
    current_ = {ticks, ticks, monotonic_ns, 1.0};
  } else if (ticks > last_ticks_ && ticks - last_ticks_ <= kMaxSpanTicks &&
             monotonic_ns > last_ns_) {
    const double rate = static_cast<double>(monotonic_ns - last_ns_) /
                        static_cast<double>(ticks - last_ticks_);
    Push({last_ticks_, last_ticks_, last_ns_, rate});
    current_span_ = ticks - last_ticks_;
  } else {
    return ticks == last_ticks_ && monotonic_ns == last_ns_;
  }
  last_ticks_ = ticks;
  last_ns_ = monotonic_ns;
  return true;
}

bool ClockMap::AdvanceAcrossGap(uint64_t ticks, int64_t monotonic_ns,
                                uint64_t later_ticks, int64_t later_ns) {
  monotonic_ns = std::clamp<int64_t>(monotonic_ns, 0, kMaxNs);
  later_ns = std::clamp<int64_t>(later_ns, 0, kMaxNs);
  const bool forward =
      !started_ || (ticks > last_ticks_ && monotonic_ns > last_ns_);
  if (!forward || later_ticks <= ticks || later_ns <= monotonic_ns) {
    return Advance(ticks, monotonic_ns);
  }
  const double rate = static_cast<double>(later_ns - monotonic_ns) /
                      static_cast<double>(later_ticks - ticks);
  Push({started_ ? last_ticks_ : 0, ticks, monotonic_ns, rate});
  started_ = true;
  last_ticks_ = ticks;
  last_ns_ = monotonic_ns;
  return true;
}

int64_t ClockMap::Earlier(uint64_t ticks) const {
  const size_t count = past_.size();
  if (count == 0) return Apply(current_, ticks);
  const size_t oldest = count < kSegments ? 0 : past_next_;
  size_t low = 0;
  size_t high = count;  // the answer is the last piece that begins by `ticks`
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (past_[(oldest + middle) % count].from_ticks <= ticks) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Apply(past_[(oldest + (low > 0 ? low - 1 : 0)) % count], ticks);
}

}  // namespace edgewise
