#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/blame.h"

namespace edgewise {

// The causes of waiting that a page names, by number.
class CauseTable {
 public:
  struct Cause {
    Blocker::Kind kind;
    uint32_t route;    // kRequest
    uint8_t type;      // kRequest, kEvent: EventType; kGc: GcType
    bool told = true;  // false: there was too much of it to look at
    bool operator==(const Cause&) const = default;
  };
  // No cause of waiting: what a request ran itself.
  static Cause Own() { return {Blocker::Kind::kRequest, UINT32_MAX, 0}; }

  uint32_t Intern(const Cause& cause) {
    const uint64_t key = static_cast<uint64_t>(!cause.told) << 56 |
                         static_cast<uint64_t>(cause.kind) << 48 |
                         static_cast<uint64_t>(cause.route) << 8 | cause.type;
    const auto [found, added] =
        numbers_.try_emplace(key, static_cast<uint32_t>(causes_.size()));
    if (added) causes_.push_back(cause);
    return found->second;
  }
  const std::vector<Cause>& causes() const { return causes_; }

 private:
  std::vector<Cause> causes_;
  absl::flat_hash_map<uint64_t, uint32_t> numbers_;
};

}  // namespace edgewise
