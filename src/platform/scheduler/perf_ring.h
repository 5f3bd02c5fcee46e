#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"

namespace edgewise {

// What the kernel writes down about one thread, in memory that both share
// (perf_event_open(2)). An unprivileged process may have it where
// kernel.perf_event_paranoid is 2 or less. For the thread that opened it only.
class PerfRing {
 public:
  // Begins, for the calling thread, with `bytes` of room: a power of two of at
  // least a page. What is sampled is when and where.
  static absl::StatusOr<std::unique_ptr<PerfRing>> Open(perf_event_attr attr,
                                                        size_t bytes);

  ~PerfRing();
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;

  // Whether there is anything new. 1 ns.
  bool moved() const {
    return __atomic_load_n(&page_->data_head, __ATOMIC_RELAXED) != tail_;
  }

  struct Entry {
    uint32_t type;  // PERF_RECORD_...
    uint16_t misc;
    int64_t ns;  // CLOCK_MONOTONIC of this process
    uint32_t cpu;
  };
  // Hands over what is new, in order, and makes room.
  template <typename Take>
  void Drain(Take&& take) {
    const uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
    Entry entry;
    while (tail_ < head && Next(&entry)) take(entry);
    __atomic_store_n(&page_->data_tail, tail_, __ATOMIC_RELEASE);
  }

  // Entries for which there was no room, so far.
  uint64_t lost() const { return lost_; }

 private:
  PerfRing(int fd, perf_event_mmap_page* page, size_t bytes, int64_t ahead_ns);
  // False: the memory holds nonsense, all of which is skipped.
  bool Next(Entry* entry);
  void Copy(uint64_t at, void* to, size_t bytes) const;

  const int fd_;
  const int64_t ahead_ns_;  // MonotonicAheadNs()
  perf_event_mmap_page* const page_;
  const size_t bytes_;  // of the data, after the first page
  const std::byte* const data_;
  uint64_t tail_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace edgewise
