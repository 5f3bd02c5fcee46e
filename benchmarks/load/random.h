#pragma once

#include <cstdint>
#include <random>

// Random numbers that are the same on every standard library for one seed: the
// engine is specified by C++, the distributions of <random> are not.

namespace edgewise::load {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  // Uniform in [0, 1), 53 bits.
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  // Uniform in [0, bound); `bound` > 0. Rejection keeps it exact.
  uint64_t Below(uint64_t bound) {
    const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t draw = engine_();
    while (draw >= limit) draw = engine_();
    return draw % bound;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace edgewise::load
