#pragma once

#include <cstdint>

#include "analysis/rows/request_watcher.h"

namespace edgewise {

// Writes what an analysis finds for another tool, while it reads.
class Handover : public RowWatcher {
 public:
  uint64_t written() const { return written_; }    // requests
  uint64_t left_out() const { return left_out_; }  // beyond the most

 protected:
  uint64_t written_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace edgewise
