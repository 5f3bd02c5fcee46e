#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/builder/registration_index.h"
#include "analysis/graph/request_graph.h"

namespace edgewise {

// What ran lately and has registered something, whoever it ran for. Functions
// of a request that wait in a queue of user code (behind a shared connection,
// in an emitter) run in slices of others. That they did is seen when the
// request ends there; what led to it is looked up here.
class Trail {
 public:
  // What a step was registered under, as far as it is known: the number of a
  // step that had to come before it, of a slice, an async id. 0: none.
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
    bool several_waited;  // for these
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

  // The latest step of those that a cause names, or null. Valid until the next
  // Leave().
  const Step* Find(const Cause& cause) const {
    const uint64_t number =
        std::max({Held(cause.step), BySequence(cause.sequence),
                  ByAsyncId(cause.async_id)});
    return number != 0 ? &At(number) : nullptr;
  }

  void Clear() {
    steps_.clear();
    next_ = 1;
  }

 private:
  static size_t Place(uint64_t number) { return (number - 1) % kSteps; }
  const Step& At(uint64_t number) const { return steps_[Place(number)]; }
  uint64_t first() const { return next_ - steps_.size(); }

  uint64_t Held(uint64_t number) const {
    return number >= first() && number < next_ ? number : 0;
  }

  uint64_t BySequence(uint64_t sequence) const {
    if (sequence == 0) return 0;
    const uint64_t number = FirstNotBefore(&Step::sequence, sequence);
    return number != 0 && At(number).sequence == sequence ? number : 0;
  }

  uint64_t ByAsyncId(uint64_t async_id) const {
    if (async_id == 0) return 0;
    const uint64_t number = FirstNotBefore(&Step::last_id, async_id);
    return number != 0 && At(number).after_id < async_id ? number : 0;
  }

  // By number; 0: there is none.
  uint64_t FirstNotBefore(uint64_t Step::*value, uint64_t target) const {
    // No std::ranges of numbers: clang 14 cannot read libstdc++'s.
    uint64_t number = first();
    uint64_t end = next_;
    while (number < end) {
      const uint64_t middle = number + (end - number) / 2;
      if (At(middle).*value < target) {
        number = middle + 1;
      } else {
        end = middle;
      }
    }
    return number < next_ ? number : 0;
  }

  std::vector<Step> steps_;  // a ring
  uint64_t next_ = 1;
};

}  // namespace edgewise
