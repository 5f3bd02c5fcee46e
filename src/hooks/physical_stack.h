#pragma once

#include <v8.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace edgewise {

// The frames of JavaScript that the machine has, without those that were
// inlined, by their program counters: quick to take, also in the handler of a
// signal, and the same as long as the thread is where it was.
class PhysicalStack {
 public:
  static constexpr size_t kMost = 64;  // the innermost

  // Of the isolate's own thread. Returns what V8 was about.
  v8::StateTag Take(v8::Isolate* isolate, const v8::RegisterState& registers);

  size_t count() const { return count_; }
  uint64_t Hash() const;

  // How many of its innermost frames began after `seen`, of the same thread and
  // event: what is left is the frame that was innermost then, or if it has
  // returned the innermost caller that has not. Null: that cannot be known.
  std::optional<size_t> GoneOnFrom(const PhysicalStack& seen) const;

 private:
  std::array<void*, kMost> frames_;  // the innermost first
  size_t count_ = 0;
};

}  // namespace edgewise
