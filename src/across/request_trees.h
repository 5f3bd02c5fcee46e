#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "across/joining.h"

namespace edgewise {

// A request, and those that it has waited for in other services.
struct RequestTree {
  // Several steps may wait for parts of one answer: sums.
  struct Call {
    int64_t begin_ns;  // of the first
    int64_t io_ns;
    bool same_clock;
    JoinedBy by;
    CallParts parts;
    ServedRow served;
    std::unique_ptr<RequestTree> request;
  };
  uint32_t file;
  uint32_t request;
  std::vector<Call> calls;  // in order of their times
};

// Follows some requests through all services.
class RequestTrees {
 public:
  static constexpr int kMostLevels = 8;
  static constexpr size_t kMostRequests = 1000;

  // Of these, as (file, request).
  explicit RequestTrees(
      const std::vector<std::pair<uint32_t, uint32_t>>& roots);
  absl::Status Grow(Joining* joining);

  const std::vector<std::unique_ptr<RequestTree>>& roots() const {
    return roots_;
  }
  // Some were not followed: there are too many.
  bool truncated() const { return truncated_; }

 private:
  std::vector<std::unique_ptr<RequestTree>> roots_;
  bool truncated_ = false;
};

}  // namespace edgewise
