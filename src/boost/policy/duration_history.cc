#include "boost/policy/duration_history.h"

#include <algorithm>

namespace edgewise {

void DurationHistory::Add(int64_t duration_ns) {
  const size_t bucket = Buckets::IndexOf(duration_ns);
  counts_[bucket] += 1;
  sums_ns_[bucket] += static_cast<float>(duration_ns);
  count_ += 1;
  if (count_ >= 2 * kHalfLife) Forget();
  if (count_ < kRefresh || --until_refresh_ == 0) Refresh();
}

void DurationHistory::Forget() {
  for (float& count : counts_) count /= 2;
  for (float& sum_ns : sums_ns_) sum_ns /= 2;
  count_ /= 2;
}

void DurationHistory::Refresh() {
  until_refresh_ = kRefresh;
  float count = 0;
  float sum_ns = 0;
  for (size_t i = Buckets::kCount; i-- > 0;) {
    count += counts_[i];
    sum_ns += sums_ns_[i];
    total_ns_[i] = count > 0 ? sum_ns / count : 0;
  }
}

int64_t DurationHistory::ExpectedTotalNs(int64_t elapsed_ns) const {
  const size_t bucket = Buckets::IndexOf(elapsed_ns);
  const auto total_ns = static_cast<int64_t>(total_ns_[bucket]);
  if (total_ns > elapsed_ns) return total_ns;
  // Beyond the mean of its own bucket, or beyond all seen.
  const auto next_ns = static_cast<int64_t>(
      total_ns_[std::min(bucket + 1, Buckets::kCount - 1)]);
  return next_ns > elapsed_ns ? next_ns : 2 * elapsed_ns + 1;
}

int64_t DurationHistory::ElapsedWhenExpected(int64_t elapsed_ns,
                                             int64_t total_ns) const {
  for (size_t i = Buckets::IndexOf(elapsed_ns) + 1; i < Buckets::kCount; ++i) {
    const int64_t edge_ns = Buckets::LowerNs(i);
    if (edge_ns >= total_ns) break;
    if (ExpectedTotalNs(edge_ns) > total_ns) return edge_ns;
  }
  return std::max(elapsed_ns, total_ns);
}

}  // namespace edgewise
