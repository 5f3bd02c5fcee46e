#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace edgewise {

// A request between its begin and its end.
struct InFlightRequest {
  uint32_t request = 0;  // its number; 0: the slot is free
  uint32_t route = 0;
  int64_t arrival_ns = 0;
  int64_t begin_work_ns = 0;  // the policy's work clock when it began

 private:
  friend class InFlight;
  uint16_t older = 0;
  uint16_t newer = 0;
  bool listed = false;
};

// The requests in flight, by number and in the order of their begins. Of fixed
// size: requests beyond kCapacity are counted and otherwise ignored, so that a
// server whose requests never end costs no more memory and no more time.
class InFlight {
 public:
  static constexpr size_t kCapacity = 4096;

  InFlight() { Clear(); }

  // The request, at the end of the order; null when the table is full, the
  // number is 0 or in flight already. Valid until Remove().
  InFlightRequest* Add(uint32_t request);

  // Null: not here.
  InFlightRequest* Find(uint32_t request);

  void Remove(InFlightRequest* entry);

  // Forgets all of them.
  void Clear();

  // Takes it out of the order; it is still found by its number.
  void Unlist(InFlightRequest* entry);

  // In the order of their begins, unlisted ones left out. Null: none.
  InFlightRequest* Oldest() { return At(slots_[kEnds].newer); }
  InFlightRequest* Newer(const InFlightRequest* entry) {
    return At(entry->newer);
  }

  size_t size() const { return size_; }
  // Requests that were not taken because the table was full.
  uint64_t ignored() const { return ignored_; }

 private:
  // The slot that closes the ring of the order.
  static constexpr uint16_t kEnds = kCapacity;
  // Open addressing, half full at most.
  static constexpr size_t kBuckets = 2 * kCapacity;

  static size_t BucketOf(uint32_t request) {
    return (request * 0x9E3779B1U) >> (32 - 13);
  }
  static_assert(kBuckets == size_t{1} << 13);

  InFlightRequest* At(uint16_t slot) {
    return slot == kEnds ? nullptr : &slots_[slot];
  }
  // The bucket that holds the request, or the free one that ends the search.
  size_t Search(uint32_t request) const;
  void Free(size_t bucket);

  std::array<InFlightRequest, kCapacity + 1> slots_;
  std::array<uint16_t, kBuckets> buckets_;  // slot, kEnds: free
  std::array<uint16_t, kCapacity> free_;    // a stack of kCapacity - size_
  size_t size_ = 0;
  uint64_t ignored_ = 0;
};

}  // namespace edgewise
