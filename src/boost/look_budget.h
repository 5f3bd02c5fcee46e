#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace edgewise {

// How much of a processor the looks at the queue may take. A look reads the
// loop's sockets from another processor, which costs the loop as well. A loop
// that rests often is looked at whenever something comes; one that hardly ever
// does, whose queue is as long as ever, seldom: a rest makes up for the more
// looks the longer it was, and those that none has made up for make the share
// smaller.
class LookBudget {
 public:
  // `share` of a processor's time: more than 0, at most 1.
  explicit LookBudget(double share) : share_(share) {}

  // A turn of the looking thread is over. `look_ns`: what its look took of a
  // processor; none: it has not looked.
  void Turn(int64_t now_ns, std::optional<int64_t> look_ns);

  // The loop has had nothing to do for so long.
  void Rested(int64_t rest_ns) {
    looks_ -= static_cast<uint32_t>(
        std::min<int64_t>(looks_, rest_ns / kRestOfALookNs));
  }

  // Until then the thread is deaf to what becomes ready.
  int64_t listens_from_ns() const { return listens_from_ns_; }

 private:
  // So many looks that no rest has made up for halve the share, so often at
  // most.
  static constexpr uint32_t kPatience = 128;
  static constexpr uint32_t kMostLooks = 10 * kPatience;
  static constexpr int64_t kRestOfALookNs = 4'000;

  double share() const;

  const double share_;
  uint32_t looks_ = kMostLooks;  // that no rest has made up for
  int64_t now_ns_ = 0;           // of the last turn
  double credit_ns_ = 0;         // of processor time; negative: too much spent
  int64_t listens_from_ns_ = 0;
};

}  // namespace edgewise
