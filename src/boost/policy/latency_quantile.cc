#include "boost/policy/latency_quantile.h"

namespace edgewise {

void LatencyQuantile::Add(int64_t latency_ns) {
  counts_[Buckets::IndexOf(latency_ns)] += 1;
  count_ += 1;
  if (count_ >= 2 * kHalfLife) Forget();
  if (--until_refresh_ == 0) Refresh();
}

void LatencyQuantile::Forget() {
  for (float& count : counts_) count /= 2;
  count_ /= 2;
}

void LatencyQuantile::Refresh() {
  until_refresh_ = kRefresh;
  const float wanted = count_ * above_;
  if (wanted < 2) return;
  float above = 0;
  for (size_t i = Buckets::kCount; i-- > 0;) {
    if (above + counts_[i] < wanted) {
      above += counts_[i];
      continue;
    }
    // Inside the bucket as if its latencies were spread evenly.
    const int64_t lower_ns = Buckets::LowerNs(i);
    const int64_t upper_ns = Buckets::LowerNs(i + 1);
    const float below = 1 - (wanted - above) / counts_[i];
    value_ns_ = lower_ns + static_cast<int64_t>(
                               below * static_cast<float>(upper_ns - lower_ns));
    return;
  }
}

}  // namespace edgewise
