#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "whatif/model/model.h"

namespace edgewise {

// Finds the connections that answer one question after the other, for several
// requests (Redis, pipelined HTTP): of what was waited there, how much was the
// answer's own, and how much was those before it. What is asked at `asked`
// reaches the server's queue after what its shortest answer has taken; the rest
// is work, done once that of the question before is (Lindley's equation). What
// of it only those have that did not wait is delay: waking up, the way.
class LineFitting {
 public:
  // What a job has waited for.
  struct Answer {
    uint32_t job;         // in the model
    uint32_t connection;  // its number
    int64_t asked_ns;
    int64_t ready_ns;  // read with others': not later
    uint64_t turn;     // in which it was read
  };
  void Add(const Answer& answer) { answers_.push_back(answer); }

  // Of the jobs whose connection is a line: io_ns, work_ns and line.
  void Fit(std::vector<Job>* jobs);

 private:
  // False: those that were asked meanwhile did not wait for each other.
  static bool FitOne(std::span<const Answer> answers, uint32_t line,
                     std::vector<Job>* jobs);

  std::vector<Answer> answers_;
};

}  // namespace edgewise
