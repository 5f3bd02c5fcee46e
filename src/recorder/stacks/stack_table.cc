#include "recorder/stacks/stack_table.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace edgewise {

uint32_t StackTable::Intern(std::span<const StackFrame> frames) {
  uint32_t node = 0;
  for (size_t i = frames.size(); i-- > 0;) {
    const StackFrame& frame = frames[i];
    const uint32_t name = recorder_->InternString(
        std::string(frame.function) + '\n' + std::string(frame.script));
    const Key key = {node, name, frame.line, frame.column};
    const auto found = nodes_.find(key);
    if (found != nodes_.end()) {
      node = found->second;
      continue;
    }
    if (name == 0 || nodes_.size() >= kMaxNodes) return 0;
    node = recorder_->InternString(absl::StrCat(key.parent, " ", key.frame, " ",
                                                key.line, " ", key.column));
    if (node == 0) return 0;
    nodes_.emplace(key, node);
  }
  return node;
}

}  // namespace edgewise
