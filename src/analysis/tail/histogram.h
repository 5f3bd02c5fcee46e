#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace edgewise {

// The distribution of latencies, in nanoseconds. Exact up to kExact values;
// beyond that a log-linear histogram (after HdrHistogram) whose buckets are at
// most 1/1024 of their value wide: quantiles are within 0.1 %. Memory depends
// on the range of the values, not on their number.
class LatencyHistogram {
 public:
  static constexpr size_t kExact = 512;

  void Add(int64_t value_ns);

  uint64_t count() const { return count_; }
  double mean_ns() const {
    return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
  }
  int64_t max_ns() const { return max_; }

  // The smallest value (its bucket's lower bound) that at least `percentile`
  // percent of the values do not exceed: nearest rank. 0 if there are none.
  int64_t Percentile(double percentile) const;

 private:
  static constexpr int kSubBits = 10;
  static constexpr size_t kSubBuckets = size_t{1} << kSubBits;
  static constexpr size_t kOctaves = 64 - kSubBits + 1;
  using Octave = std::array<uint32_t, kSubBuckets>;

  void AddToBucket(int64_t value_ns);
  uint64_t RankOf(double percentile) const;
  int64_t RankInBuckets(uint64_t rank) const;

  uint64_t count_ = 0;
  double sum_ = 0;
  int64_t max_ = 0;
  int64_t min_ = 0;
  std::vector<int64_t> exact_;
  std::array<std::unique_ptr<Octave>, kOctaves> octaves_;
};

}  // namespace edgewise
