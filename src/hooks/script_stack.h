#pragma once

#include <v8.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/stacks/stack_table.h"

namespace edgewise {

// The JavaScript stack of the calling thread as it is now, in words. It runs no
// JavaScript: it may be taken where V8 is interrupted.
class ScriptStack {
 public:
  // At most so many frames, the innermost, but for the `skip` first ones, and
  // those of scripts whose names begin with `left_out`; empty: none is.
  ScriptStack(v8::Isolate* isolate, int max_frames, int skip,
              std::string_view left_out);
  // Its frames are views of its own texts.
  ScriptStack(ScriptStack&&) = default;

  // How many there were, with those.
  int all() const { return all_; }

  // The innermost first; empty: no JavaScript is on it.
  std::span<const StackFrame> frames() const { return frames_; }
  // The innermost that is not Node's own, else the innermost; null: there is
  // none.
  const StackFrame* Innermost() const;

 private:
  int all_ = 0;
  std::vector<std::string> texts_;
  std::vector<StackFrame> frames_;
};

// "METHOD PATH" of `holder.request`, an HTTP request, with what looks like an
// id folded; empty: it is none, or has properties that would have to be run.
std::string RouteOf(v8::Isolate* isolate, const v8::Global<v8::Object>& holder);

}  // namespace edgewise
