#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace edgewise {

// When something came: at `ticks`, or, if that is a bound, then at the latest.
// 0: not seen.
struct Arrival {
  uint64_t ticks = 0;
  bool bound = false;
};

// When the connections arrived that wait in a listening socket's backlog.
//
// The helper thread cannot see each arrival, but the kernel tells how many wait
// (TCP_INFO of a listening socket): what has been added since the last look has
// arrived since. The loop takes the times in the order of its accepts. A count
// that is off by one for a moment, because the loop accepts while the helper
// looks, ends when the loop finds the backlog empty.
class AcceptBacklog {
 public:
  // A power of two; the kernel lets no more wait by default (somaxconn).
  static constexpr uint32_t kCapacity = 4096;

  // Helper thread: `waiting` connections are in the backlog; those that are new
  // arrived at `arrival`.
  void Note(uint32_t waiting, Arrival arrival) {
    const uint32_t head = head_.load(std::memory_order_relaxed);
    // Acquire: the loop has finished reading the slots it freed.
    const uint32_t known = head - tail_.load(std::memory_order_acquire);
    uint32_t fresh = waiting > known ? waiting - known : 0;
    if (known + fresh > kCapacity) fresh = kCapacity - known;
    for (uint32_t i = 0; i < fresh; ++i)
      times_[(head + i) % kCapacity] = arrival;
    // Release: the times are written before the loop sees them.
    head_.store(head + fresh, std::memory_order_release);
  }

  // Loop thread: a connection was accepted.
  Arrival Take() {
    const uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return {};
    const Arrival arrival = times_[tail % kCapacity];
    tail_.store(tail + 1, std::memory_order_release);
    return arrival;
  }

  // Loop thread: the backlog is empty.
  void Clear() {
    tail_.store(head_.load(std::memory_order_acquire),
                std::memory_order_release);
  }

 private:
  std::array<Arrival, kCapacity> times_{};
  std::atomic<uint32_t> head_{0};  // helper writes
  std::atomic<uint32_t> tail_{0};  // loop writes
};

}  // namespace edgewise
