#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "compare/sample/latencies.h"
#include "compare/sample/side.h"

namespace edgewise {

// The latencies of a side by connection, so that connections can be drawn
// instead of time. Many are drawn in groups.
class Clients {
 public:
  static constexpr size_t kMostGroups = 256;

  explicit Clients(const Side& side);

  uint64_t count() const { return count_; }  // 0: none is known
  const Latencies& latencies() const { return latencies_; }
  size_t groups() const { return groups_; }
  void Draw(std::mt19937_64* random, std::vector<float>* weights) const;

 private:
  uint64_t count_;
  size_t groups_;
  Latencies latencies_;
};

}  // namespace edgewise
