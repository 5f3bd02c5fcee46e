#include "compare/sample/bins.h"

namespace edgewise {

Bins::Bins(const Side* side, double block_ns)
    : side_(side), bin_ns_(block_ns / kBinsInABlock) {
  for (const Run& run : side->runs) {
    const auto blocks =
        static_cast<size_t>(static_cast<double>(run.span_ns()) / block_ns);
    runs_.push_back({count_, blocks * kBinsInABlock});
    count_ += blocks * kBinsInABlock;
  }
}

void Bins::Draw(std::mt19937_64* random, std::vector<float>* weights,
                bool halves) const {
  const size_t length = halves ? kBinsInABlock / 2 : kBinsInABlock;
  weights->assign(count_, 0);
  for (size_t i = 0; i < count_ / length; ++i) {
    // A run is drawn as often as it has blocks.
    const size_t start = (*random)() % count_;
    const Span* run = runs_.data();
    while (start >= run->first + run->count) ++run;
    for (size_t k = 0; k < length; ++k) {
      ++(*weights)[run->first + (start - run->first + k) % run->count];
    }
  }
}

}  // namespace edgewise
