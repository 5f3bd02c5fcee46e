#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boost/level.h"

namespace edgewise {

// Time spent at each level, ns.
using Residency = std::array<int64_t, kLevels>;

// The energy that a residency takes, relative to all of it at the low level.
// Modelled: P(f) = s + (1 - s) (f / f_low)^3, s = 0.352, a voltage that grows
// with the frequency over a constant part. The one parameter gives both of the
// paper's measured points, 1.676 at 3.3 GHz and 2.712 at 4.0 GHz over 2.6
// (VEE'19 section 7.3), within 0.5 %. 1 when a frequency is not known or the
// residency is empty.
double ModelledEnergy(const Residency& residency,
                      const Frequencies& frequencies);

// The package energy counters of powercap (RAPL).
class EnergyCounters {
 public:
  // `root`: prefix of /sys, for tests.
  explicit EnergyCounters(const std::string& root = "");

  // Why there is nothing to read; empty: there is.
  const std::string& unavailable() const { return unavailable_; }

  // Microjoules of all packages since the object was made, wrap-around
  // accounted for when read at least once per wrap (some 40 minutes at 100 W
  // where the counter has 32 bits of 61 µJ); nullopt: unavailable, or a package
  // could not be read this time.
  std::optional<uint64_t> ReadUj();

 private:
  struct Package {
    std::string path;  // energy_uj
    uint64_t range_uj;
    uint64_t last_uj;
  };

  std::vector<Package> packages_;
  uint64_t total_uj_ = 0;
  std::string unavailable_;
};

}  // namespace edgewise
