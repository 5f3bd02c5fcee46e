#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "compare/sample/bins.h"
#include "compare/sample/latencies.h"
#include "compare/sample/side.h"

namespace edgewise {

// A side in bins of time: all its latencies, those of each route, and what
// they are made of.
class SideTables {
 public:
  // `side` outlives it. `details`: so many there are.
  SideTables(const Side* side, double block_ns, size_t details);

  const Bins& bins() const { return bins_; }
  const Latencies& all() const { return *all_; }
  const std::vector<float>& ones() const { return ones_; }  // by bin
  uint64_t requests() const { return requests_; }
  const std::map<uint32_t, uint64_t>& requests_of() const {
    return requests_of_;
  }
  const Latencies* Of(uint32_t route) const;  // null: it has none
  double ShareOf(uint32_t route) const;

  // Sums over requests of what they are made of, by bin.
  class Sums {
   public:
    Sums(size_t bins, size_t details);
    void Add(size_t bin, const ComparedRequest& request,
             std::span<const DetailTime> details);
    // Means of a request, ns. No request: NaN.
    double MeanOf(LatencyPart part, std::span<const float> weights) const;
    double MeanOf(uint32_t detail, std::span<const float> weights) const;

   private:
    double Mean(const std::vector<double>& ns,
                std::span<const float> weights) const;

    std::array<std::vector<double>, kLatencyParts> parts_;
    std::vector<std::vector<double>> details_;  // empty: it has none
    std::vector<double> count_;
  };
  const Sums& sums() const { return *sums_; }
  const Sums& tail_sums() const { return *tail_sums_; }  // of its slowest 1 %

 private:
  std::unique_ptr<Sums> SumsFrom(double least_ns, size_t details) const;

  const Side* const side_;
  const Bins bins_;
  std::unique_ptr<Latencies> all_;
  std::map<uint32_t, std::unique_ptr<Latencies>> routes_;
  std::map<uint32_t, uint64_t> requests_of_;
  uint64_t requests_ = 0;
  std::vector<float> ones_;
  std::unique_ptr<Sums> sums_;
  std::unique_ptr<Sums> tail_sums_;
};

}  // namespace edgewise
