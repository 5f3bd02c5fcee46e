#pragma once

#include <v8.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "recorder/stacks/stack_table.h"

namespace edgewise {

// The words of frames that were seen before: to take those from V8 anew takes a
// quarter of a stack's time.
class FrameWords {
 public:
  static constexpr size_t kMax = 8192;

  struct Words {
    std::string function;
    std::string script;
    bool left_out;
  };

  // `left_out`: what begins the names of the scripts whose frames are not told;
  // empty: none is.
  explicit FrameWords(std::string left_out) : left_out_(std::move(left_out)) {}

  // Valid until MakeRoom().
  const Words& Of(v8::Isolate* isolate, v8::Local<v8::StackFrame> frame,
                  v8::Location place);
  void MakeRoom() {
    if (known_.size() >= kMax) known_.clear();
  }

 private:
  struct Key {
    int script;
    int line;
    int column;
    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.script, key.line, key.column);
    }
  };
  const std::string left_out_;
  absl::node_hash_map<Key, Words> known_;
};

// The JavaScript stack of the calling thread as it is now, in words. It runs no
// JavaScript: it may be taken where V8 is interrupted.
class ScriptStack {
 public:
  // At most so many frames, the innermost, but for those that `words` leaves
  // out. Valid until the next one with those words.
  ScriptStack(v8::Isolate* isolate, size_t max_frames, FrameWords* words);

  // How many there were, with those.
  size_t all() const { return all_; }
  // Leaves out so many of all, the innermost.
  void Leave(size_t innermost);

  // The innermost first; empty: no JavaScript is on it.
  std::span<const StackFrame> frames() const { return frames_; }
  // The innermost that is not Node's own, else the innermost; null: there is
  // none.
  const StackFrame* Innermost() const;

 private:
  size_t all_ = 0;
  std::vector<size_t> numbers_;  // of the frames, among all
  std::vector<StackFrame> frames_;
};

// "METHOD PATH" of `holder.request`, an HTTP request, with what looks like an
// id folded; empty: it is none, or has properties that would have to be run.
std::string RouteOf(v8::Isolate* isolate, const v8::Global<v8::Object>& holder);

}  // namespace edgewise
