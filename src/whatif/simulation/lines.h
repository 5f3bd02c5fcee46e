#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "whatif/model/model.h"

namespace edgewise {

// Connections that answer one question after the other, in the order in which
// the loop asks.
class Lines {
 public:
  // When what the job waits for has come.
  int64_t AnsweredNs(const Job& job, int64_t asked_ns) {
    const int64_t reaches_ns = asked_ns + static_cast<int64_t>(job.io_ns);
    if (job.line == 0) return reaches_ns;
    if (job.line >= free_ns_.size()) free_ns_.resize(job.line + 1);
    int64_t& free_ns = free_ns_[job.line];
    free_ns = std::max(reaches_ns, free_ns) + static_cast<int64_t>(job.work_ns);
    return free_ns;
  }

 private:
  std::vector<int64_t> free_ns_;  // when they have done what was asked
};

}  // namespace edgewise
