#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "whatif/model/model.h"

namespace edgewise {

// Pauses that come after so much running.
class Pauses {
 public:
  explicit Pauses(const std::vector<LoopPause>* list) : list_(list) {}

  // The loop runs for `run_ns`: calls each(where in it, the pause).
  template <typename Each>
  void Pass(float run_ns, Each each) {
    if (list_->empty()) return;
    double left_ns = run_ns;
    for (size_t turns = 0; turns < list_->size(); ++turns) {
      const LoopPause& next = (*list_)[next_];
      const double until_ns = std::max(0.0, next.after_ns - ran_ns_);
      if (left_ns < until_ns) break;
      left_ns -= until_ns;
      ran_ns_ = 0;
      next_ = (next_ + 1) % list_->size();
      each(run_ns - static_cast<float>(left_ns), next);
    }
    ran_ns_ += left_ns;
  }

 private:
  const std::vector<LoopPause>* list_;
  size_t next_ = 0;
  double ran_ns_ = 0;  // since the last one
};

}  // namespace edgewise
