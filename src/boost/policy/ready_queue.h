#pragma once

#include <algorithm>
#include <cstdint>

#include "boost/signal.h"

namespace edgewise {

// The events that are ready and have not begun, and since when: as far as the
// signals tell. A batch came while the loop waited (then it is as old as the
// wait's end), or while the batch before ran (then evenly spread over that
// time), or between two looks.
class ReadyQueue {
 public:
  // The loop's wait has brought `count` events, at `came_ns` if it waited for
  // them; 0: they were ready.
  void Batch(uint32_t count, int64_t came_ns, int64_t now_ns) {
    oldest_ns_ = came_ns > 0 ? came_ns : std::min(unseen_since_ns_, now_ns);
    newest_ns_ = came_ns > 0 ? came_ns : now_ns;
    count_ = count;
    batch_ = count;
    unseen_since_ns_ = now_ns;
  }

  // The first one begins, and all others are younger.
  void Begin() {
    if (count_ == 0) return;
    oldest_ns_ += (newest_ns_ - oldest_ns_) / (count_ + 1);
    begun_ns_ = oldest_ns_;
    --count_;
    if (batch_ > 0) --batch_;
  }

  // A look found `count`: what is more than before has come since.
  void Look(uint32_t count, int64_t now_ns) {
    if (count_ == 0 && count > 0) oldest_ns_ = now_ns;
    if (count > count_) newest_ns_ = now_ns;
    // Once something is known to wait outside the batch, the batch that brings
    // it is as old as that.
    if (count <= batch_) unseen_since_ns_ = now_ns;
    count_ = count;
  }

  void Clear() { count_ = batch_ = 0; }

  int64_t count() const { return count_; }
  int64_t oldest_ns() const { return oldest_ns_; }
  int64_t newest_ns() const { return newest_ns_; }
  // When the bytes of a request came that begins: if the signal does not know,
  // since when the event that began last had been ready.
  int64_t ArrivalOf(const Signal& begin) const {
    if (begin.arrival_ns > 0) return std::min(begin.arrival_ns, begin.now_ns);
    return begun_ns_ > 0 ? std::min(begun_ns_, begin.now_ns) : begin.now_ns;
  }

 private:
  int64_t count_ = 0;
  int64_t batch_ = 0;  // of those, the ones that the last wait brought
  int64_t oldest_ns_ = 0;
  int64_t newest_ns_ = 0;
  int64_t begun_ns_ = 0;
  int64_t unseen_since_ns_ = 0;
};

}  // namespace edgewise
