#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/registration_index.h"
#include "analysis/request_graph.h"

namespace edgewise {

// What ran lately and has registered something, whoever it ran for. Functions
// of a request that wait in a queue of user code (behind a shared connection,
// in an emitter) run in slices of others. That they did is seen when the
// request ends there; what led to it is looked up here.
class Trail {
 public:
  // What a step was registered under: the number of a step, of a slice, or an
  // async id; the first that is not 0.
  struct Cause {
    uint64_t step = 0;
    uint64_t sequence = 0;
    uint64_t async_id = 0;
  };

  struct Step {
    Node node;  // its graph's numbers are unset
    Cause cause;
    uint64_t after_id;  // it has registered the ids in (after_id, last_id]
    uint64_t last_id;
    uint64_t sequence;   // and what has its slice's number
    RequestRef request;  // whose it is; generation 0: nobody's
    uint32_t request_node;
    uint32_t connection;  // whose bytes it was; 0: none's
  };

  static constexpr size_t kSteps = size_t{1} << 14;

  // The number that the next step takes.
  uint64_t next() const { return next_; }

  // Ids and sequence numbers rise from step to step.
  void Leave(const Step& step) {
    if (steps_.size() < kSteps) {
      steps_.push_back(step);
    } else {
      steps_[Place(next_)] = step;
    }
    ++next_;
  }

  // The step that has registered something, or null. Valid until the next
  // Leave().
  const Step* Find(const Cause& cause) const {
    if (cause.step != 0) {
      return cause.step >= first() && cause.step < next_ ? &At(cause.step)
                                                         : nullptr;
    }
    if (cause.sequence != 0) {
      const Step* const step = FirstNotBefore(&Step::sequence, cause.sequence);
      return step != nullptr && step->sequence == cause.sequence ? step
                                                                 : nullptr;
    }
    if (cause.async_id == 0) return nullptr;
    const Step* const step = FirstNotBefore(&Step::last_id, cause.async_id);
    return step != nullptr && step->after_id < cause.async_id ? step : nullptr;
  }

  void Clear() {
    steps_.clear();
    next_ = 1;
  }

 private:
  static size_t Place(uint64_t number) { return (number - 1) % kSteps; }
  const Step& At(uint64_t number) const { return steps_[Place(number)]; }
  uint64_t first() const { return next_ - steps_.size(); }

  const Step* FirstNotBefore(uint64_t Step::*number, uint64_t target) const {
    uint64_t low = first();
    uint64_t high = next_;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (At(middle).*number < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < next_ ? &At(low) : nullptr;
  }

  std::vector<Step> steps_;  // a ring
  uint64_t next_ = 1;
};

}  // namespace edgewise
