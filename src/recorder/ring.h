#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "platform/prefetch.h"
#include "trace/record.h"

namespace edgewise {

// A bounded queue of records from one thread (the event loop's) to one other
// (the drain thread). The producer never allocates, locks or waits: a full ring
// refuses, and the caller counts the loss.
class Ring {
 public:
  // `capacity` records; a power of two.
  explicit Ring(size_t capacity)
      : mask_(capacity - 1), slots_(new Record[capacity]) {}

  // Producer. Has `fill(Record&)` fill in the next slot, whose fields are 0,
  // and makes it visible. In place: a copy would wait for the narrower stores
  // that it is put together by. False: full, nothing was called.
  template <typename Fill>
  bool Push(Fill fill) {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (!HasRoomAt(head)) [[unlikely]]
      return false;
    Record& record = slots_[head & mask_];
    record = Record{};
    fill(record);
    // The consumer's processor has the next line; fetching it back takes longer
    // than what happens until the next record.
    PrefetchToWrite(&slots_[(head + 1 + kAhead) & mask_]);
    // Release: the slots are written before the consumer sees the new head.
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Consumer. The number of records that can be read now.
  size_t Readable() const {
    return static_cast<size_t>(head_.load(std::memory_order_acquire) -
                               tail_.load(std::memory_order_relaxed));
  }

  // Consumer. The i-th readable record.
  const Record& Peek(size_t i) const {
    return slots_[(tail_.load(std::memory_order_relaxed) + i) & mask_];
  }

  // Consumer. Copies the first `count` readable records to `out`, frees them.
  void Pop(Record* out, size_t count) {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    const size_t start = tail & mask_;
    const size_t first =
        count < capacity() - start ? count : capacity() - start;
    std::memcpy(out, &slots_[start], first * sizeof(Record));
    std::memcpy(out + first, &slots_[0], (count - first) * sizeof(Record));
    // Release: the slots are read before the producer may write them again.
    tail_.store(tail + count, std::memory_order_release);
  }

  // Consumer. Has the kernel put memory behind all slots, which leaves them as
  // they are: else it does so page by page, each time that the producer comes
  // to one, while the loop waits. Needs Linux 5.14; false: not done.
  bool Populate();

  size_t capacity() const { return mask_ + 1; }

  // Records pushed so far, for the producer; popped, for the consumer.
  uint64_t pushed() const { return head_.load(std::memory_order_relaxed); }
  uint64_t popped() const { return tail_.load(std::memory_order_relaxed); }

 private:
  bool HasRoomAt(uint64_t head) {
    if (head - cached_tail_ <= mask_) return true;
    // Acquire: the consumer has finished reading the slots that it freed.
    cached_tail_ = tail_.load(std::memory_order_acquire);
    return head - cached_tail_ <= mask_;
  }

  static constexpr size_t kAhead = 4;  // records: two cache lines

  // All that the producer needs is in one line; the consumer looks at it
  // rarely.
  alignas(64) const uint64_t mask_;
  const std::unique_ptr<Record[]> slots_;
  uint64_t cached_tail_ = 0;                   // producer's own
  std::atomic<uint64_t> head_{0};              // producer writes
  alignas(64) std::atomic<uint64_t> tail_{0};  // consumer writes
};

}  // namespace edgewise
