#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "trace/trace_context.h"

namespace edgewise {

// What callers have said of the requests of one file: of those that are open,
// and of those that ended last, which others may have waited behind.
class TraceContexts {
 public:
  static constexpr size_t kMost = size_t{1} << 16;

  // Where no room is left but that of open requests, nothing is taken.
  void Take(const Record& record) {
    const std::optional<TraceContext> context = TraceContextOf(record);
    if (!context.has_value()) return;
    if (contexts_.size() >= kMost && !ended_.empty()) {
      contexts_.erase(ended_.front());
      ended_.pop_front();
    }
    if (contexts_.size() < kMost) contexts_[record.aux] = *context;
  }
  // Null: it has said nothing, or only an `x-request-id`. Valid until more is
  // taken.
  const TraceContext* Of(uint32_t request) const {
    const auto found = contexts_.find(request);
    const bool traced = found != contexts_.end() && found->second.IsTraced();
    return traced ? &found->second : nullptr;
  }
  // TraceContext::Key(); 0: it has said nothing.
  uint64_t KeyOf(uint32_t request) const {
    const auto found = contexts_.find(request);
    return found != contexts_.end() ? found->second.Key() : 0;
  }
  void NoteEnd(uint32_t request) {
    if (contexts_.contains(request)) ended_.push_back(request);
  }
  void Clear() {
    contexts_.clear();
    ended_.clear();
  }

 private:
  absl::flat_hash_map<uint32_t, TraceContext> contexts_;
  std::deque<uint32_t> ended_;  // the oldest first
};

}  // namespace edgewise
