#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "boost/signal.h"

namespace edgewise {

// Signals that the loop could not hand over at once. One producer, one consumer
// at a time; neither waits.
class SignalQueue {
 public:
  // Loop thread. False: full.
  bool Push(const Signal& signal) {
    const uint32_t head = head_.load(std::memory_order_relaxed);
    // Acquire: the slot that is written now has been read.
    if (head - tail_.load(std::memory_order_acquire) == kCapacity) return false;
    slots_[head % kCapacity] = signal;
    // Release: the slot is whole before it can be seen.
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Anybody. After a full barrier: false once a signal was pushed before it.
  bool Empty() const {
    return head_.load(std::memory_order_seq_cst) ==
           tail_.load(std::memory_order_relaxed);
  }

  // Whoever holds the controller's lock. False: empty.
  bool Pop(Signal* signal) {
    const uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return false;
    *signal = slots_[tail % kCapacity];
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

 private:
  static constexpr uint32_t kCapacity = 256;

  std::array<Signal, kCapacity> slots_{};
  std::atomic<uint32_t> head_{0};  // loop writes, consumer reads
  std::atomic<uint32_t> tail_{0};  // consumer writes, loop reads
};

}  // namespace edgewise
