#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "compare/verdict/estimates.h"

namespace edgewise {

// Draws from both sides: of anything that draws weights, Draw(random, weights).
template <typename Drawn>
class Resampler {
 public:
  // `paired`: what is drawn of one side is drawn of the other. Both outlive it.
  Resampler(const Drawn* a, const Drawn* b, bool paired, uint64_t seed)
      : a_(a), b_(b), paired_(paired), seed_(seed) {}

  // Of what of(weights of A, weights of B) says; `value`: in the data.
  // `how`: what else Draw() takes.
  template <typename Of, typename... How>
  Estimates Run(uint32_t count, double value, Of of, How... how) const {
    Estimates found{value, {}};
    std::mt19937_64 random(seed_);
    std::vector<float> one;
    std::vector<float> other;
    for (uint32_t i = 0; i < count; ++i) {
      a_->Draw(&random, &one, how...);
      if (!paired_) b_->Draw(&random, &other, how...);
      const double drawn = of(one, paired_ ? one : other);
      if (std::isfinite(drawn)) found.drawn.push_back(drawn);
    }
    return found;
  }

 private:
  const Drawn* a_;
  const Drawn* b_;
  const bool paired_;
  const uint64_t seed_;
};

}  // namespace edgewise
