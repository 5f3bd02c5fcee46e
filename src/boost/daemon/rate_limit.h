#pragma once

#include <algorithm>
#include <cstdint>

namespace edgewise {

// A token bucket: one token per interval, at most `burst` of them. Kept as the
// one time at which the bucket would be full again (GCRA).
class RateLimit {
 public:
  RateLimit(int64_t interval_ns, int64_t burst)
      : interval_ns_(interval_ns), slack_ns_(interval_ns * (burst - 1)) {}

  // When there is, or was, a token.
  int64_t next_ns() const { return full_ns_ - slack_ns_; }

  // Takes a token if there is one. Times may not go back.
  bool Take(int64_t now_ns) {
    if (now_ns < next_ns()) return false;
    full_ns_ = std::max(full_ns_, now_ns) + interval_ns_;
    return true;
  }

 private:
  int64_t interval_ns_;
  int64_t slack_ns_;
  int64_t full_ns_ = 0;
};

}  // namespace edgewise
