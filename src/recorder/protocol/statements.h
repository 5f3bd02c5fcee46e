#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/operation_text.h"

namespace edgewise {

// The operations of the prepared statements of all conversations of a loop, by
// the hash of the statement's name; no name and no text is kept. Of fixed size:
// a newcomer takes the place of what has the same slot, whose statement is then
// an "EXECUTE" of something unknown. Loop thread only.
class Statements {
 public:
  static constexpr size_t kSlots = 256;  // 26 KB

  // A number for a connection: its statements are its own.
  uint32_t NextConnection() { return ++connections_; }

  void Keep(uint64_t key, const OperationText& operation) {
    Slot& slot = slots_[key % kSlots];
    slot.key = key;
    slot.operation = operation;
  }
  // Null if it is not known (any more).
  const OperationText* Find(uint64_t key) const {
    const Slot& slot = slots_[key % kSlots];
    return slot.key == key && key != 0 ? &slot.operation : nullptr;
  }

 private:
  struct Slot {
    uint64_t key = 0;
    OperationText operation;
  };
  Slot slots_[kSlots];
  uint32_t connections_ = 0;
};

}  // namespace edgewise
