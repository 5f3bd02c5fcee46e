#pragma once

#include <cstdint>

namespace edgewise {

// Node's live async-id fields. Null fields: unavailable, all ids read as 0.
struct AsyncIds {
  const double* fields = nullptr;  // {execution, trigger, counter, default}
  // How many contexts are on Node's stack of them. Null: not found.
  const uint32_t* depth = nullptr;

  uint64_t execution() const { return At(0); }
  uint64_t counter() const { return At(2); }
  const double* counter_field() const {
    return fields != nullptr ? &fields[2] : nullptr;
  }

  // Of an entry into JavaScript under id 0: whether it is one that Node makes
  // when it has left a callback's scope, for ticks and microtasks; else it is
  // in a scope (immediates, tasks of the platform).
  bool LeftScope() const { return *depth == 0; }

 private:
  // Through int64_t: one instruction, and no id is that large.
  uint64_t At(int index) const {
    return fields != nullptr
               ? static_cast<uint64_t>(static_cast<int64_t>(fields[index]))
               : 0;
  }
};

}  // namespace edgewise
