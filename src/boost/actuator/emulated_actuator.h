#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "boost/actuator.h"

namespace edgewise {

// 2.6, 3.3 and 4.0 GHz, kHz (VEE'19 section 7.1).
inline constexpr Frequencies kPaperFrequencies = {2'600'000, 3'300'000,
                                                  4'000'000};

// Emulates a processor that runs at one of config.frequencies (zeros: the
// paper's): a real-time thread on the calling thread's processor steals
// 1 - f/f_high of it, in portions of a 200 us period, and nothing at the high
// level. The calling thread, which config.loop_tid must name (or 0), is bound
// to the processor it runs on until Restore(); it then runs at the low level.
// Takes about 60 ms, up to 300 on a busy processor.
//
// Two loops of one processor are to share a domain (config.shared_domain):
// then one thief steals for both. With config.emulated_delay_ns a level takes
// effect that much later, and another request meanwhile replaces it.
//
// InvalidArgument: frequencies that do not ascend, or a low one below a tenth
// of the high one (real-time threads get 95 % of a processor at most); a
// negative delay; not called by the loop's thread. PermissionDenied: no
// real-time threads for this user.
absl::StatusOr<std::unique_ptr<Actuator>> MakeEmulatedActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
