#include "hooks/physical_stack.h"

#include <algorithm>

#include "absl/hash/hash.h"

namespace edgewise {

v8::StateTag PhysicalStack::Take(v8::Isolate* isolate,
                                 const v8::RegisterState& registers) {
  v8::SampleInfo info{};
  isolate->GetStackSample(registers, frames_.data(), frames_.size(), &info);
  count_ = info.frames_count;
  return info.vm_state;
}

uint64_t PhysicalStack::Hash() const {
  uint64_t hash = count_;
  for (size_t i = 0; i < count_; ++i) hash = absl::HashOf(hash, frames_[i]);
  return hash;
}

// A caller that is still where it was called the same; one that is not, has
// gone on. What is called from where the same was called is the same function.
std::optional<size_t> PhysicalStack::GoneOnFrom(
    const PhysicalStack& seen) const {
  if (seen.count_ == 0 || count_ == 0) return std::nullopt;
  // Of a stack that is cut off nobody knows which frame is which.
  const bool whole = seen.count_ < kMost && count_ < kMost;
  if (!whole && seen.count_ != count_) return std::nullopt;
  const size_t most = std::min(seen.count_, count_);
  size_t same = 0;
  while (same < most &&
         frames_[count_ - 1 - same] == seen.frames_[seen.count_ - 1 - same]) {
    ++same;
  }
  if (same == 0 || (!whole && same + 1 < most)) return std::nullopt;
  return count_ - std::min(same + 1, most);
}

}  // namespace edgewise
