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
    if (job.line >= lines_.size()) lines_.resize(job.line + 1);
    Line& line = lines_[job.line];
    line.free_ns =
        std::max(reaches_ns, line.free_ns) + static_cast<int64_t>(job.work_ns);
    line.busy_ns += job.work_ns;
    return line.free_ns;
  }

  double MostBusyNs() const {
    double most_ns = 0;
    for (const Line& line : lines_) most_ns = std::max(most_ns, line.busy_ns);
    return most_ns;
  }

 private:
  struct Line {
    int64_t free_ns = 0;  // when it has done what was asked
    double busy_ns = 0;
  };
  std::vector<Line> lines_;
};

}  // namespace edgewise
