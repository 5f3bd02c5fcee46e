#pragma once

#include <uv.h>

#include <cstdint>

namespace edgewise {

// Which of the timers that a libuv loop runs is running, and when it was due. A
// loop runs them between its check phase and its next poll. Times are ns by
// CLOCK_MONOTONIC, in libuv's steps of 1 ms. Thread-compatible.
class LoopTimers {
 public:
  // `loop` is Node's: the first of its timers is behind all of JavaScript's.
  explicit LoopTimers(uv_loop_t* loop);

  // The check phase has begun: what JavaScript's timer is like. It has ended:
  // which others may run next.
  void NoteNodes();
  void NoteOthers();

  // When Node's timer was due, if the loop has begun it since the check phase
  // or since the last call that said so; otherwise -1.
  int64_t NodesDueNs();
  // When the last of the others that the loop has begun was due; none: -1.
  int64_t OthersDueNs();
  // Whether it has begun one since OthersDueNs().
  bool OtherBegan() const { return Begun() > told_; }

 private:
  struct Timer {
    const uv_timer_t* handle;
    uint64_t due_ms;
    uint64_t order;  // among those of one time
  };
  static constexpr int kMostOthers = 8;

  void Collect(const void* heap_node);
  int Begun() const;  // of `others_`
  bool Waits(const Timer& timer) const;
  // libuv since 1.48 takes all that are due out of its heap before it runs the
  // first of them.
  bool IsQueued(const uv_timer_t* timer) const;

  uv_loop_t* const loop_;
  const bool queues_due_;
  const uv_timer_t* const nodes_;
  bool nodes_was_active_ = false;
  uint64_t nodes_was_due_ms_ = 0;
  Timer others_[kMostOthers];  // by time
  int other_count_ = 0;
  int told_ = 0;
};

}  // namespace edgewise
