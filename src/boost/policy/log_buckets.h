#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace edgewise {

// Buckets for durations, `PerOctave` (a power of two) to each doubling: linear
// inside an octave, so that the index is a shift. The first holds all below
// kFirstNs, the last all above about a minute.
template <int PerOctave>
struct LogBuckets {
  static constexpr int kSubBits =
      std::bit_width(static_cast<unsigned>(PerOctave)) - 1;
  static constexpr int kFirstBit = 10;
  static constexpr int64_t kFirstNs = int64_t{1} << kFirstBit;
  static constexpr int kOctaves = 26;
  static constexpr size_t kCount = size_t{PerOctave} * kOctaves + 1;

  static size_t IndexOf(int64_t duration_ns) {
    if (duration_ns < kFirstNs) return 0;
    const int top = std::bit_width(static_cast<uint64_t>(duration_ns)) - 1;
    const size_t sub = static_cast<size_t>(duration_ns >> (top - kSubBits)) -
                       size_t{PerOctave};
    const size_t index = (top - kFirstBit) * size_t{PerOctave} + sub + 1;
    return index < kCount ? index : kCount - 1;
  }

  // The smallest duration of a bucket.
  static int64_t LowerNs(size_t index) {
    if (index == 0) return 0;
    const size_t octave = (index - 1) / PerOctave;
    const size_t sub = (index - 1) % PerOctave;
    return static_cast<int64_t>(PerOctave + sub)
           << (kFirstBit - kSubBits + octave);
  }
};

}  // namespace edgewise
