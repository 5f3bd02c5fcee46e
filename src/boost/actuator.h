#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/energy.h"
#include "boost/level.h"

namespace edgewise {

// Changes the frequency that an event loop runs at. Made on the loop's thread;
// Set() is called by one thread at a time, which need not be that one.
class Actuator {
 public:
  // Restores what was before.
  virtual ~Actuator() = default;

  virtual std::string_view name() const = 0;

  // What it does here, for a person: "cpufreq (userspace governor) on CPU 0-3".
  virtual std::string description() const = 0;

  // Asks for a level; returns when the request is made, not when the frequency
  // has changed. Allocates only on failure. Asking for the level that holds
  // costs nothing.
  virtual absl::Status Set(Level level) = 0;

  // The frequencies as they were before the actuator was made. Idempotent;
  // Set() afterwards has no effect.
  virtual void Restore() = 0;

  // Measured when it was made: how long Set() keeps its caller, ns, and how
  // long after it the frequency has changed (0: at once).
  virtual int64_t call_ns() const = 0;
  virtual int64_t transition_ns() const = 0;

  virtual Frequencies frequencies() const = 0;

  // Time at each level since it was made, where it knows better than its
  // caller, who only knows what was asked for (transitions take time, other
  // processes ask too); nullopt: it does not. From any thread.
  virtual std::optional<Residency> residency() const { return std::nullopt; }
};

struct ActuatorConfig {
  // "auto", or one of ActuatorNames().
  std::string name = "auto";
  // Frequencies wanted, kHz, ascending; zeros: the hardware's own.
  Frequencies frequencies{};
  pid_t loop_tid = 0;             // the thread whose frequency it is
  int64_t emulated_delay_ns = 0;  // emulated: time that a transition takes
  // emulated: a name shared by the processes whose frequency is one;
  // "@process": of this process's event loops; empty: own.
  std::string shared_domain;
  // cpufreq, epp: the program that restores when this process is killed
  // (edgewise-boostd --guard); empty: none.
  std::string guardian_program;
  std::string daemon_socket;  // daemon: where boostd listens
  std::string root = "";      // prefix of /sys and /proc, for tests
};

std::vector<std::string_view> ActuatorNames();

// The actuator asked for, or for "auto" the best that works here; its
// description says why it was taken. InvalidArgument: no such name, or
// frequencies that are not ascending or below the nominal one (the message says
// what is allowed). Unavailable, PermissionDenied: with the reason, and the
// next step. "auto" fails only when none works: then with every reason.
absl::StatusOr<std::unique_ptr<Actuator>> MakeActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
