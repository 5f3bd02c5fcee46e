#pragma once

#include <cstdint>
#include <vector>

#include "whatif/model/model.h"
#include "whatif/simulation/pace.h"
#include "whatif/simulation/pauses.h"

namespace edgewise {

// How the loop's running goes: with the pauses that come meanwhile, and as fast
// as the processor is.
class RunCourse {
 public:
  // A response that ends when its job has run for so long.
  struct End {
    float run_ns;
    uint32_t request;
  };

  // Both outlive it; no pace: as fast as recorded.
  RunCourse(const LoopModel& model, Pace* pace)
      : collections_(&model.collections),
        displaced_(&model.displaced),
        pace_(pace) {}

  // Runs for so long, from then; returns when it is over. `end`: may be null.
  int64_t Run(int64_t now_ns, float run_ns, const End* end = nullptr);

  // When so much of the last run had run.
  int64_t At(float run_ns) const;

 private:
  struct Stop {
    enum class Kind : uint8_t { kEnd, kCollection, kDisplaced };
    float at_ns;  // of what is run
    float ns;
    Kind kind;
    GcType type;
  };

  int64_t RunPaced(int64_t now_ns, float run_ns, const End* end);

  Pauses collections_;
  Pauses displaced_;
  Pace* const pace_;
  std::vector<Stop> stops_;  // of the last run, as are the following
  std::vector<Leg> legs_;
  int64_t begin_ns_ = 0;
  float run_ns_ = 0;
};

}  // namespace edgewise
