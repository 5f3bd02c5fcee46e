#pragma once

#include <cstdint>

namespace edgewise {

// How much of a processor the looks at the queue may take. A look reads the
// loop's sockets from another processor, which costs the loop as well: where
// many have found nothing to boost, they become fewer.
class LookBudget {
 public:
  // `share` of a processor's time: more than 0, at most 1.
  explicit LookBudget(double share) : share_(share) {}

  // A turn of the looking thread is over, which has used `spent_ns` of a
  // processor since it began; `looked`: since the last turn.
  void Turn(int64_t now_ns, int64_t spent_ns, bool looked);

  // A look at a busy loop's queue is over; `raised`: it has raised the level.
  void Looked(bool raised) { fruitless_ = raised ? 0 : fruitless_ + 1; }

  // Until then the thread is deaf to what becomes ready.
  int64_t listens_from_ns() const { return listens_from_ns_; }

 private:
  double share() const;

  const double share_;
  uint32_t fruitless_ = 0;  // looks since one has raised the level
  int64_t now_ns_ = 0;      // of the last turn
  int64_t spent_ns_ = 0;
  double credit_ns_ = 0;  // of processor time; negative: too much spent
  int64_t listens_from_ns_ = 0;
};

}  // namespace edgewise
