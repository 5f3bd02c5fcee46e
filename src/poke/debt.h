#pragma once

#include <algorithm>
#include <cstdint>

namespace edgewise {

// What a service still has to pause: so long a round, each round once. What it
// paused for too long, since a sleep never ends on time, is taken off the next
// rounds, so that the sum is right.
class Debt {
 public:
  explicit Debt(int64_t pause_ns = 0) : pause_ns_(pause_ns) {}

  // Word that the target has come to round `number`, from 1. Whether that is
  // news: not where a neighbour has told before. A round that nobody told of
  // is owed as well.
  bool Begin(uint64_t number) {
    if (number <= rounds_) return false;
    owed_ns_ += static_cast<int64_t>(number - rounds_) * pause_ns_;
    rounds_ = number;
    return true;
  }

  // It was paused for so long.
  void Pay(int64_t paused_ns) {
    owed_ns_ -= paused_ns;
    paid_ns_ += paused_ns;
    longest_ns_ = std::max(longest_ns_, paused_ns);
    ++pauses_;
  }

  uint64_t rounds() const { return rounds_; }
  uint64_t pauses() const { return pauses_; }
  int64_t paid_ns() const { return paid_ns_; }
  int64_t longest_ns() const { return longest_ns_; }
  // Below 0: it has paused for longer than it had to until now.
  int64_t owed_ns() const { return owed_ns_; }

 private:
  int64_t pause_ns_;
  uint64_t rounds_ = 0;
  uint64_t pauses_ = 0;
  int64_t owed_ns_ = 0;
  int64_t paid_ns_ = 0;
  int64_t longest_ns_ = 0;
};

}  // namespace edgewise
