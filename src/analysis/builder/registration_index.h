#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgewise {

// Names one open request: the slot it occupies, and which of the slot's
// tenants it is. Generation 0 is nobody.
struct RequestRef {
  uint32_t slot = 0;
  uint32_t generation = 0;
  bool operator==(const RequestRef&) const = default;
};

// Answers which open request's slice registered a number: an async id (a slice
// owns an interval of them) or a sequence number (a slice owns one). Both rise
// from slice to slice, so one append-only array is sorted by both; entries of
// closed requests are skipped, and removed when they are most of the array:
// constant amortised cost, memory in proportion to what is alive.
class RegistrationIndex {
 public:
  struct Entry {
    uint64_t after_id;  // owns the async ids in (after_id, last_id]
    uint64_t last_id;
    uint64_t sequence;
    RequestRef request;
    uint32_t node;
    bool unsure = false;  // a tick of another request may own the ids
  };

  // No number may be less than that of any entry before.
  template <typename IsAlive>
  void Append(const Entry& entry, IsAlive is_alive) {
    if (entries_.size() >= limit_) Compact(is_alive);
    ids_.Place(entry.last_id, entries_.size());
    sequences_.Place(entry.sequence, entries_.size());
    entries_.push_back(entry);
  }

  // The entry of an open request that owns the number, or null. Of several the
  // one appended last: a request that began inside another's slice.
  template <typename IsAlive>
  const Entry* FindId(uint64_t id, IsAlive is_alive) const {
    return Find(
        ids_.FirstNotBefore(id, entries_),
        [id](const Entry& entry) { return entry.after_id < id; }, is_alive);
  }
  template <typename IsAlive>
  const Entry* FindSequence(uint64_t sequence, IsAlive is_alive) const {
    return Find(
        sequences_.FirstNotBefore(sequence, entries_),
        [sequence](const Entry& entry) { return entry.sequence == sequence; },
        is_alive);
  }

  // Null as well where several open requests share the number.
  template <typename IsAlive>
  const Entry* FindOnlySequence(uint64_t sequence, IsAlive is_alive) const {
    RequestRef owner;
    bool shared = false;
    const Entry* const found = FindSequence(sequence, [&](const Entry& entry) {
      if (!is_alive(entry)) return false;
      shared = shared || (owner.generation != 0 && owner != entry.request);
      owner = entry.request;
      return true;
    });
    return shared ? nullptr : found;
  }

  void Clear() {
    entries_.clear();
    limit_ = kMinLimit;
    ids_.Clear();
    sequences_.Clear();
  }

  size_t size() const { return entries_.size(); }

 private:
  static constexpr size_t kMinLimit = 1024;
  // Owners that one number can have: requests begun within one slice.
  static constexpr size_t kMaxShared = 64;

  // Leads from recent numbers to their place in the array; only old ones are
  // searched for.
  template <uint64_t Entry::*number, int shift>
  class Places {
   public:
    void Clear() { placed_ = 0; }

    void Place(uint64_t last, size_t place) {
      const uint64_t cell = last >> shift;
      if (cell < placed_) return;
      if (cells_.empty()) cells_.resize(kCells);
      uint64_t next = std::max(placed_, cell + 1 - std::min(cell + 1, kCells));
      for (; next <= cell; ++next) {
        cells_[next % kCells] = static_cast<uint32_t>(place);
      }
      placed_ = cell + 1;
    }

    // The first entry whose number is not less than `target`.
    size_t FirstNotBefore(uint64_t target,
                          const std::vector<Entry>& entries) const {
      const uint64_t cell = target >> shift;
      if (cell >= placed_) return entries.size();
      size_t low = 0;
      if (cell + kCells >= placed_) {
        // About as few entries as numbers, but for shared ones.
        low = cells_[cell % kCells];
        for (int steps = 0; steps <= kSteps; ++steps, ++low) {
          if (low == entries.size() || entries[low].*number >= target) {
            return low;
          }
        }
      }
      const auto at = std::partition_point(
          entries.begin() + static_cast<ptrdiff_t>(low), entries.end(),
          [target](const Entry& entry) { return entry.*number < target; });
      return static_cast<size_t>(at - entries.begin());
    }

   private:
    static constexpr uint64_t kCells = 4096;
    static constexpr int kSteps = 16;
    // A cell below placed_, of the last kCells, holds the place of the first
    // entry whose number lies in it or after it.
    std::vector<uint32_t> cells_;
    uint64_t placed_ = 0;
  };

  template <typename IsOwner, typename IsAlive>
  const Entry* Find(size_t first, IsOwner is_owner, IsAlive is_alive) const {
    const Entry* found = nullptr;
    const size_t end = std::min(entries_.size(), first + kMaxShared);
    for (size_t i = first; i < end && is_owner(entries_[i]); ++i) {
      if (is_alive(entries_[i])) found = &entries_[i];
    }
    return found;
  }

  template <typename IsAlive>
  void Compact(IsAlive is_alive) {
    size_t kept = 0;
    ids_.Clear();
    sequences_.Clear();
    for (const Entry& entry : entries_) {
      if (!is_alive(entry)) continue;
      ids_.Place(entry.last_id, kept);
      sequences_.Place(entry.sequence, kept);
      entries_[kept++] = entry;
    }
    entries_.resize(kept);
    limit_ = std::max(kMinLimit, 3 * kept);
  }

  std::vector<Entry> entries_;
  size_t limit_ = kMinLimit;
  Places<&Entry::last_id, 3> ids_;
  Places<&Entry::sequence, 2> sequences_;
};

}  // namespace edgewise
