#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

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
  explicit EnergyCounters(std::string root = "");

  // Why there is nothing to read; empty: there is.
  const std::string& unavailable() const { return unavailable_; }

  // Microjoules of all packages since the object was made, wrap-around
  // accounted for when read at least once per wrap (about a minute at 100 W);
  // nullopt: unavailable.
  std::optional<uint64_t> ReadUj();

 private:
  std::string root_;
  std::string unavailable_;
};

}  // namespace edgewise
