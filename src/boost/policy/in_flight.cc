#include "boost/policy/in_flight.h"

namespace edgewise {

void InFlight::Clear() {
  size_ = 0;
  buckets_.fill(kEnds);
  for (size_t i = 0; i < kCapacity; ++i) free_[i] = static_cast<uint16_t>(i);
  slots_[kEnds].older = kEnds;
  slots_[kEnds].newer = kEnds;
}

size_t InFlight::Search(uint32_t request) const {
  size_t bucket = BucketOf(request);
  while (buckets_[bucket] != kEnds &&
         slots_[buckets_[bucket]].request != request) {
    bucket = (bucket + 1) % kBuckets;
  }
  return bucket;
}

InFlightRequest* InFlight::Add(uint32_t request) {
  if (request == 0) return nullptr;
  if (size_ == kCapacity) {
    ++ignored_;
    return nullptr;
  }
  const size_t bucket = Search(request);
  if (buckets_[bucket] != kEnds) return nullptr;
  const uint16_t slot = free_[kCapacity - 1 - size_++];
  buckets_[bucket] = slot;
  InFlightRequest* entry = &slots_[slot];
  *entry = {};
  entry->request = request;
  entry->listed = true;
  entry->newer = kEnds;
  entry->older = slots_[kEnds].older;
  slots_[entry->older].newer = slot;
  slots_[kEnds].older = slot;
  return entry;
}

InFlightRequest* InFlight::Find(uint32_t request) {
  return request == 0 ? nullptr : At(buckets_[Search(request)]);
}

void InFlight::Unlist(InFlightRequest* entry) {
  if (!entry->listed) return;
  entry->listed = false;
  slots_[entry->older].newer = entry->newer;
  slots_[entry->newer].older = entry->older;
}

void InFlight::Remove(InFlightRequest* entry) {
  Unlist(entry);
  const size_t bucket = Search(entry->request);
  free_[kCapacity - size_--] = buckets_[bucket];
  entry->request = 0;
  Free(bucket);
}

// Moves back what the freed bucket had pushed away, so that no search ends too
// early and no grave is left.
void InFlight::Free(size_t bucket) {
  size_t hole = bucket;
  for (size_t at = (hole + 1) % kBuckets; buckets_[at] != kEnds;
       at = (at + 1) % kBuckets) {
    const size_t home = BucketOf(slots_[buckets_[at]].request);
    if ((at - home) % kBuckets < (at - hole) % kBuckets) continue;
    buckets_[hole] = buckets_[at];
    hole = at;
  }
  buckets_[hole] = kEnds;
}

}  // namespace edgewise
