#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/level.h"

namespace edgewise {

// What is taken for the time of a transition when neither a measurement nor the
// driver tells: the interval at which server processors of Intel since Haswell
// grant changes of frequency.
inline constexpr int64_t kAssumedTransitionNs = 500'000;

// What the measurement sees and does, so that tests need no hardware.
struct TransitionProbes {
  std::function<absl::Status(Level)> set;
  std::function<double()> spin;  // work done per ns in about 10 µs of work
  std::function<uint32_t()> current_khz;  // what the driver shows; 0: nothing
  std::function<int64_t()> now_ns;
};

// Probes of this thread and the clock; `set` and `current_khz` as given.
TransitionProbes ProbesOfThisThread(std::function<absl::Status(Level)> set,
                                    std::function<uint32_t()> current_khz);

struct Timing {
  int64_t call_ns = 0;        // the median call
  int64_t transition_ns = 0;  // from the call's return to the new frequency
  std::string source;         // how the transition was found, for a person
};

// Times an actuator by switching between low and high; leaves it at low. The
// transition is when a spin loop on this thread runs faster; when that is not
// seen within 25 ms, when the frequency that the driver shows has risen, but
// not less than the driver's own word (most drivers show what was asked for, at
// once); else the driver's word, else kAssumedTransitionNs. At most about 70
// ms. An error of `set` is returned.
absl::StatusOr<Timing> MeasureTiming(const TransitionProbes& probes,
                                     const Frequencies& frequencies,
                                     int64_t driver_transition_ns);

}  // namespace edgewise
