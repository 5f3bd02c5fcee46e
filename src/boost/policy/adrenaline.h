#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "boost/policy.h"
#include "boost/policy/in_flight.h"

namespace edgewise {

// Adrenaline (Hsu et al., HPCA'15), the oracle of VEE'19 section 7.2: a request
// of a route known to be tail is boosted from its begin to its end.
class Adrenaline : public Policy {
 public:
  explicit Adrenaline(const PolicyConfig& config);

  std::string_view name() const override { return "adrenaline"; }
  void On(const Signal& signal) override;
  Want want() const override {
    return in_flight_.size() > 0 ? Want{Level::kHigh, Reason::kRequest}
                                 : Want{};
  }

 private:
  std::vector<uint32_t> tail_routes_;  // ascending
  InFlight in_flight_;                 // only those of tail_routes_
};

}  // namespace edgewise
