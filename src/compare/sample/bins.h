#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "compare/sample/side.h"

namespace edgewise {

// Blocks of time are drawn in steps of a part of a block.
inline constexpr size_t kBinsInABlock = 4;

// The time of a side in bins. A block is kBinsInABlock of one run in a row;
// they may overlap.
class Bins {
 public:
  // `side` outlives it.
  Bins(const Side* side, double block_ns);

  size_t count() const { return count_; }
  size_t blocks() const { return count_ / kBinsInABlock; }
  // Calls each(bin, run, request) for each request that lies in a bin.
  template <typename Each>
  void ForEach(Each each) const {
    for (size_t i = 0; i < side_->runs.size(); ++i) {
      const Run& run = side_->runs[i];
      for (const ComparedRequest& request : run.requests) {
        const auto bin = static_cast<size_t>(
            static_cast<double>(request.at_ns - run.begin_ns) / bin_ns_);
        if (bin >= runs_[i].count) break;
        each(runs_[i].first + bin, run, request);
      }
    }
  }

  // How often each bin is there in a draw of as many blocks (moving blocks,
  // which go on at a run's begin after its end). `halves`: blocks are half as
  // long, and twice as many.
  void Draw(std::mt19937_64* random, std::vector<float>* weights,
            bool halves = false) const;

 private:
  struct Span {
    size_t first;
    size_t count;
  };

  const Side* side_;
  double bin_ns_;
  std::vector<Span> runs_;
  size_t count_ = 0;
};

}  // namespace edgewise
