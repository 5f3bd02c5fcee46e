#pragma once

#include <cstdint>

namespace edgewise {

// An exponentially weighted moving average whose time constant is `Window`
// samples. The first `Window` samples weigh the same, so that it is a plain
// mean until then and not a memory of the first sample.
template <uint32_t Window>
class MovingAverage {
 public:
  void Add(double sample) {
    if (count_ < Window) {
      ++count_;
      weight_ = 1.0 / count_;
    }
    mean_ += (sample - mean_) * weight_;
  }

  double mean() const { return mean_; }

  // Samples seen, at most `Window`.
  uint32_t count() const { return count_; }

 private:
  double mean_ = 0;
  double weight_ = 1;
  uint32_t count_ = 0;
};

}  // namespace edgewise
