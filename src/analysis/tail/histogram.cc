#include "analysis/tail/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace edgewise {

void LatencyHistogram::Add(int64_t value_ns) {
  value_ns = std::max<int64_t>(value_ns, 0);
  min_ = count_ == 0 ? value_ns : std::min(min_, value_ns);
  max_ = std::max(max_, value_ns);
  sum_ += static_cast<double>(value_ns);
  ++count_;
  if (count_ <= kExact) {
    exact_.push_back(value_ns);
    return;
  }
  for (const int64_t value : exact_) AddToBucket(value);
  exact_ = std::vector<int64_t>();  // `= {}` would keep the room
  AddToBucket(value_ns);
}

// Octave 0 holds the values below 1024, one bucket each; octave k the values in
// [2^(k+9), 2^(k+10)), 1024 buckets of which the upper half repeats nothing:
// each is indexed by the ten bits below the leading one.
void LatencyHistogram::AddToBucket(int64_t value_ns) {
  const auto value = static_cast<uint64_t>(value_ns);
  const int width = std::bit_width(value);
  const size_t octave =
      width > kSubBits ? static_cast<size_t>(width - kSubBits) : 0;
  const int shift = octave > 0 ? width - 1 - kSubBits : 0;
  const size_t bucket = (value >> shift) & (kSubBuckets - 1);
  if (octaves_[octave] == nullptr) {
    octaves_[octave] = std::make_unique<Octave>();
    octaves_[octave]->fill(0);
  }
  uint32_t& count = (*octaves_[octave])[bucket];
  if (count < UINT32_MAX) ++count;
}

// In whole numbers: 99.9 / 100 * 1000 is more than 999 in doubles. The
// percentile counts to the millionth of a percent.
uint64_t LatencyHistogram::RankOf(double percentile) const {
  constexpr uint64_t kWhole = 100'000'000;  // all, in millionths of a percent
  constexpr double kPercent = 1e6;
  const auto share = static_cast<uint64_t>(
      std::llround(std::clamp(percentile, 0.0, 100.0) * kPercent));
  const uint64_t rank =
      count_ / kWhole * share + (count_ % kWhole * share + kWhole - 1) / kWhole;
  return std::clamp<uint64_t>(rank, 1, count_);
}

int64_t LatencyHistogram::Percentile(double percentile) const {
  if (count_ == 0) return 0;
  const uint64_t rank = RankOf(percentile);
  if (exact_.empty()) return std::clamp(RankInBuckets(rank), min_, max_);
  std::vector<int64_t> sorted = exact_;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(rank - 1),
                   sorted.end());
  return sorted[rank - 1];
}

int64_t LatencyHistogram::RankInBuckets(uint64_t rank) const {
  uint64_t seen = 0;
  for (size_t octave = 0; octave < kOctaves; ++octave) {
    if (octaves_[octave] == nullptr) continue;
    for (size_t bucket = 0; bucket < kSubBuckets; ++bucket) {
      seen += (*octaves_[octave])[bucket];
      if (seen < rank) continue;
      if (octave == 0) return static_cast<int64_t>(bucket);
      return static_cast<int64_t>((kSubBuckets | bucket) << (octave - 1));
    }
  }
  return max_;
}

}  // namespace edgewise
