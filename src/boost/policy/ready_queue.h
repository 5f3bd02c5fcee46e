#pragma once

#include <algorithm>
#include <cstdint>

namespace edgewise {

// The events that are ready and have not begun, and since when: as far as the
// signals tell. A batch came while the loop waited (then it is as old as the
// wait's end), or while the batch before ran (then evenly spread over that
// time), or between two looks.
class ReadyQueue {
 public:
  // A wait shorter than that found its events ready.
  static constexpr int64_t kNoWaitNs = 20'000;

  // The loop's wait, which began at `idle_ns`, has brought `count` events.
  void Batch(uint32_t count, int64_t idle_ns, int64_t now_ns) {
    const bool waited = now_ns - idle_ns >= kNoWaitNs;
    oldest_ns_ = waited ? now_ns : std::min(unseen_since_ns_, now_ns);
    newest_ns_ = now_ns;
    count_ = count;
    batch_ = count;
    unseen_since_ns_ = now_ns;
  }

  // The first one begins.
  void Begin(int64_t now_ns) {
    if (count_ == 0) return;
    oldest_ns_ += (newest_ns_ - oldest_ns_) / count_;
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

  // One that began had come at `arrival_ns`, so the others are younger.
  void Came(int64_t arrival_ns) {
    oldest_ns_ = std::min(std::max(oldest_ns_, arrival_ns), newest_ns_);
  }

  void Clear() { count_ = batch_ = 0; }

  int64_t count() const { return count_; }
  int64_t oldest_ns() const { return oldest_ns_; }
  int64_t newest_ns() const { return newest_ns_; }

 private:
  int64_t count_ = 0;
  int64_t batch_ = 0;  // of those, the ones that the last wait brought
  int64_t oldest_ns_ = 0;
  int64_t newest_ns_ = 0;
  int64_t unseen_since_ns_ = 0;
};

}  // namespace edgewise
