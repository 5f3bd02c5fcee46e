#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "boost/energy.h"
#include "boost/gc_instructions.h"
#include "boost/level.h"
#include "boost/policy.h"
#include "boost/reaction_times.h"

namespace edgewise {

// What a controller has done, as reports and metrics tell it.
struct ControllerStats {
  struct OfReason {
    uint64_t boosts = 0;
    int64_t boosted_ns = 0;
    // From the cause until the actuator was asked. The cause: a collection's
    // begin, the time at which the running event passed its threshold, for the
    // queue when the thread was woken for what had come, at worst when it had
    // last looked.
    ReactionTimes reaction;
  };

  std::string policy;
  std::string actuator;
  std::string description;  // of the actuator
  Frequencies frequencies{};
  int64_t elapsed_ns = 0;
  Residency residency{};
  std::array<OfReason, kReasons> reasons{};
  uint64_t dropped_signals = 0;  // the loop could not hand over
  uint64_t set_errors = 0;
  std::string last_error;
  uint64_t looks = 0;
  int64_t cpu_ns = 0;  // of the controller's thread
  std::optional<uint64_t> measured_uj;
  std::string energy_unavailable;  // why not measured
  GcInstructions::Sums gc;
  std::string gc_counters_unavailable;  // why they are not counted
};

// The JSON object that docs/report-json.md describes as `boost`.
std::string ToJson(const ControllerStats& stats);

}  // namespace edgewise
