#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

// What a recorder says about itself in the meta chunk (docs/trace-format.md).
// Unknown keys are ignored; a missing one leaves its field empty.
struct TraceMeta {
  std::string edgewise;  // version of the recorder
  std::string provider;  // "stock" or "patched"
  std::string node;      // process.version
  std::string command;
  std::string host;          // "": it does not say
  std::string causality;     // "events", "promises", "native"
  std::string mode;          // "stream" or "flight"
  std::string ticks;         // "tsc" or "monotonic"
  std::string identity;      // of the process, as its number is not
  std::string network;       // its namespace, and of which machine
  std::string clock;         // the machine since it started: CLOCK_MONOTONIC's
  std::string service;       // as the user calls it; "": not at all
  std::string no_async_ids;  // why not; empty where there were
  std::string no_interposition;                 // the same
  std::string no_native_code;                   // of what stacks see of it
  std::map<std::string, std::string> fidelity;  // event type -> what is seen
  uint64_t burst = 0;  // when stacks are sampled (Burst); 0: always
  bool times = false;  // it measures JIT and inline caches
  std::optional<bool> off_cpu_available;
  std::string off_cpu_by;  // "switches" or "sums"
  std::string no_off_cpu;  // why not, or why not by switches
  // The limits of the process's control groups, of each period; µs.
  struct Quota {
    int64_t quota_us;
    int64_t period_us;
  };
  std::vector<Quota> quotas;
  std::map<std::string, int64_t> limits;  // of processors and threads, by name
  std::optional<bool> watcher_available;
  std::optional<int64_t> watcher_error_ns;
};

// Nothing if `json` is not a JSON object.
std::optional<TraceMeta> ParseTraceMeta(std::string_view json);

}  // namespace edgewise
