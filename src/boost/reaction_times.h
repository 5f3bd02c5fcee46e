#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace edgewise {

// How long reactions took, ns: a histogram whose buckets are at most 1/8 wide
// of their value. Written by one thread at a time; allocates nothing.
class ReactionTimes {
 public:
  void Add(int64_t ns) {
    const uint64_t value = ns > 0 ? static_cast<uint64_t>(ns) : 0;
    ++buckets_[BucketOf(value)];
    ++count_;
    if (value > max_) max_ = value;
  }

  uint64_t count() const { return count_; }
  uint64_t max_ns() const { return max_; }

  // The upper bound of the bucket that holds the quantile `share` (0 to 1), at
  // most the maximum; 0 when empty.
  uint64_t Quantile(double share) const {
    uint64_t rank = static_cast<uint64_t>(share * static_cast<double>(count_));
    for (size_t i = 0; i < buckets_.size(); ++i) {
      if (rank < buckets_[i]) {
        const uint64_t bound = BoundOf(i);
        return bound < max_ ? bound : max_;
      }
      rank -= buckets_[i];
    }
    return max_;
  }

 private:
  static constexpr uint32_t kSubBits = 3;
  static constexpr size_t kBuckets = (64 - kSubBits + 1) << kSubBits;

  static size_t BucketOf(uint64_t value) {
    const auto width = static_cast<uint32_t>(std::bit_width(value));
    if (width <= kSubBits) return value;
    const uint32_t shift = width - kSubBits - 1;
    return ((shift + 1) << kSubBits) + ((value >> shift) - (1u << kSubBits));
  }

  static uint64_t BoundOf(size_t bucket) {
    const size_t shift = bucket >> kSubBits;
    const uint64_t low = bucket & ((1u << kSubBits) - 1);
    if (shift == 0) return low;
    return ((low + (1u << kSubBits) + 1) << (shift - 1)) - 1;
  }

  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  uint64_t max_ = 0;
};

}  // namespace edgewise
