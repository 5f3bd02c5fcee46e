#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analysis/builder/registration_index.h"

namespace edgewise {

// The open requests of one file, by the id that the recorder gave them. Slots
// and what `State` holds are reused. Ids of requests whose start was lost are
// remembered, so that their end is not counted as a second loss.
template <typename State>
class RequestTable {
 public:
  // So many open requests are a leak (their ends were lost), not a load.
  static constexpr size_t kMaxOpen = size_t{1} << 18;

  struct Slot {
    State state;
    uint64_t ordinal = 0;  // 0, 1, ... in the order of their starts
    uint32_t id = 0;
    uint32_t generation = 0;
    bool open = false;
  };

  // The caller has closed an open request of the same id, and Oldest() if the
  // table is full().
  RequestRef Start(uint32_t id) {
    uint32_t index = static_cast<uint32_t>(slots_.size());
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      slots_.emplace_back();
    }
    Slot& slot = slots_[index];
    slot.id = id;
    slot.ordinal = starts_++;
    slot.open = true;
    ++slot.generation;
    const RequestRef ref{index, slot.generation};
    by_id_[id] = index;
    lost_.erase(id);
    order_.push_back(ref);
    return ref;
  }

  bool IsOpen(RequestRef ref) const {
    return ref.generation != 0 &&
           slots_[ref.slot].generation == ref.generation &&
           slots_[ref.slot].open;
  }

  // Generation 0 if no open request has this id.
  RequestRef Find(uint32_t id) const {
    const auto it = by_id_.find(id);
    if (it == by_id_.end()) return {};
    return {it->second, slots_[it->second].generation};
  }

  Slot& At(RequestRef ref) { return slots_[ref.slot]; }
  const Slot& At(RequestRef ref) const { return slots_[ref.slot]; }

  void Close(RequestRef ref) {
    Slot& slot = slots_[ref.slot];
    slot.open = false;
    by_id_.erase(slot.id);
    free_.push_back(ref.slot);
    if (order_.size() > 2 * by_id_.size() + 64) Tidy();
  }

  size_t open() const { return by_id_.size(); }
  bool full() const { return by_id_.size() >= kMaxOpen; }
  uint64_t starts() const { return starts_; }

  // The open request that started first; generation 0 if none is open.
  RequestRef Oldest() {
    while (order_begin_ < order_.size() && !IsOpen(order_[order_begin_])) {
      ++order_begin_;
    }
    if (order_begin_ < order_.size()) return order_[order_begin_];
    return {};
  }

  // Returns false if the id was marked already.
  bool MarkLost(uint32_t id) {
    if (lost_.size() >= kMaxOpen) lost_.clear();
    return lost_.insert(id).second;
  }
  // Returns true if the id was marked.
  bool UnmarkLost(uint32_t id) { return lost_.erase(id) > 0; }
  void ForgetLost() { lost_.clear(); }

 private:
  void Tidy() {
    size_t kept = 0;
    for (size_t i = order_begin_; i < order_.size(); ++i) {
      if (IsOpen(order_[i])) order_[kept++] = order_[i];
    }
    order_.resize(kept);
    order_begin_ = 0;
  }

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  absl::flat_hash_map<uint32_t, uint32_t> by_id_;
  absl::flat_hash_set<uint32_t> lost_;
  std::vector<RequestRef> order_;  // by start; some closed
  size_t order_begin_ = 0;
  uint64_t starts_ = 0;
};

}  // namespace edgewise
