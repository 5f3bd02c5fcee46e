#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/graph/dependency.h"
#include "analysis/stream/route_table.h"
#include "whatif/model/model.h"

namespace edgewise {

// One thing that is different.
struct Change {
  enum class Kind : uint8_t {
    kCpu,   // execution: of a route, or all           scale
    kWait,  // a dependency's answers                  scale, add_ns, tier
    kCollections,  // garbage collections                     scale
    kLoad,         // arrivals                                scale
    kProcessor,    // the share of it that the loop is given  scale
    kNeighbour,    // another wants that share of it          scale
    kReplicaLost,  // one of `count` servers                  add_ns: of a retry
    kParallel,     // waits `first` and `second` of a route begin together
    kBatch,        // the same calls in a row of a route become one
    kOffload,      // the longest execution of a route runs on another thread
    kWorkers,      // `count` processes share the requests
    kSemiSpace,    // the room for young objects               bytes
    kInput,        // the size of requests                     scale
    kMaxValue = kInput,
  };
  Kind kind;
  std::string route;       // "": any
  std::string dependency;  // a part of its name; "": any
  double scale = 1;
  double add_ns = 0;
  double bytes = 0;
  uint32_t first = 0;  // counted from 1
  uint32_t second = 0;
  uint32_t count = 1;
  std::vector<float> tier;  // latencies measured elsewhere, by size
};

// Changes that are made together.
struct Scenario {
  std::string name;
  std::vector<Change> changes;
};

// A loop after some changes.
struct ChangedLoop {
  LoopModel model;
  double load = 1;
  uint32_t workers = 1;
  uint32_t offload_threads = 1;
};

// The job is executed `scale` times as long.
void Stretch(Job* job, double scale);

// All that the loop runs takes `by` times as long.
void SlowDown(double by, LoopModel* model);

// Names of what a model holds.
struct ModelNames {
  const RouteTable* routes;
  const DependencyTable* dependencies;
};

// Applies changes in their order. NotFound names what no request has: the
// route, the dependency, the wait; FailedPrecondition what the recording cannot
// tell. Every assumption that it makes is added to
// `assumed`, once.
absl::StatusOr<ChangedLoop> ApplyChanges(const LoopModel& model,
                                         const std::vector<Change>& changes,
                                         const ModelNames& names,
                                         std::vector<std::string>* assumed);

}  // namespace edgewise
