#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace edgewise {

// What the loop's thread leaves for whoever holds the controller's lock. One
// producer, one consumer at a time; neither waits.
template <typename T, uint32_t kCapacity>
class LoopQueue {
 public:
  // Loop thread. False: full.
  bool Push(const T& item) {
    const uint32_t head = head_.load(std::memory_order_relaxed);
    // Acquire: the slot that is written now has been read.
    if (head - tail_.load(std::memory_order_acquire) == kCapacity) return false;
    slots_[head % kCapacity] = item;
    // Release: the slot is whole before it can be seen.
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // The lock's holder. How many items are there; more may come meanwhile.
  uint32_t Size() const {
    return head_.load(std::memory_order_acquire) -
           tail_.load(std::memory_order_relaxed);
  }

  // The lock's holder, of a queue that is not empty.
  const T& Front() const {
    return slots_[tail_.load(std::memory_order_relaxed) % kCapacity];
  }
  void Pop() {
    tail_.store(tail_.load(std::memory_order_relaxed) + 1,
                std::memory_order_release);
  }

 private:
  static_assert((kCapacity & (kCapacity - 1)) == 0, "counts wrap around");

  std::array<T, kCapacity> slots_{};
  std::atomic<uint32_t> head_{0};  // loop writes, consumer reads
  std::atomic<uint32_t> tail_{0};  // consumer writes, loop reads
};

}  // namespace edgewise
