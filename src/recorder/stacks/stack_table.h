#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "recorder/recorder.h"

namespace edgewise {

// One frame of a JavaScript stack. Lines and columns count from 1; 0: unknown.
struct StackFrame {
  std::string_view function;  // empty: it has no name
  std::string_view script;    // its name or URL; empty: it has none
  uint32_t line = 0;
  uint32_t column = 0;
};

// The distinct stacks of one thread, as a tree: a node is a frame and what has
// called it. A node is a string of the trace's string table, "PARENT FRAME LINE
// COLUMN" in decimal: PARENT the string id of the caller's node, 0 for the
// outermost; FRAME that of "FUNCTION\nSCRIPT". Recorded thread only.
class StackTable {
 public:
  // With their strings about 6 MB. A reader keeps 65,536 strings: two for each
  // node at most, and the rest for all else.
  static constexpr size_t kMaxNodes = 24'576;

  explicit StackTable(Recorder* recorder) : recorder_(recorder) {}

  // The string id of a stack's node; 0: the table is full, and does not have
  // it. `frames`: the innermost first; not empty.
  uint32_t Intern(std::span<const StackFrame> frames);

  size_t size() const { return nodes_.size(); }

 private:
  struct Key {
    uint32_t parent;
    uint32_t frame;
    uint32_t line;
    uint32_t column;
    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.parent, key.frame, key.line,
                        key.column);
    }
  };

  Recorder* const recorder_;
  absl::flat_hash_map<Key, uint32_t> nodes_;
};

}  // namespace edgewise
