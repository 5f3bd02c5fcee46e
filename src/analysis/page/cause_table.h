#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/graph/blame.h"
#include "analysis/graph/loop_timeline.h"

namespace edgewise {

// The causes of waiting that a page names, by number.
class CauseTable {
 public:
  struct Cause {
    Blocker::Kind kind;
    uint32_t route;  // kRequest
    uint8_t type;    // kRequest, kEvent: EventType; kGc: GcType
    enum class Name : uint8_t {
      kOfKind,
      kUntold,  // there was too much of it to look at
      kOwn,     // none: what a request ran itself
      kOthers,  // small ones
    } name = Name::kOfKind;
  };
  using Name = Cause::Name;
  static Cause Named(Name name) { return {Blocker::Kind::kEvent, 0, 0, name}; }

  // Whose a piece is. `open`: of a request that has not ended, its owner; until
  // then its route is not known. 0: it is.
  struct Owned {
    Cause cause;
    uint32_t open;
  };
  static Owned Of(const Piece& piece, const BlameLedger& ledger) {
    using Kind = Blocker::Kind;
    if (piece.is_gc) return {{Kind::kGc, 0, piece.type}, 0};
    if (piece.owner == 0) return {{Kind::kEvent, 0, piece.type}, 0};
    if (ledger.IsOpen(piece.owner)) {
      return {{Kind::kRequest, 0, piece.type}, piece.owner};
    }
    return {{Kind::kRequest, ledger.RouteOf(piece.owner), piece.type}, 0};
  }

  // Another one's is another.
  static uint64_t KeyOf(const Cause& cause) {
    return static_cast<uint64_t>(cause.name) << 56 |
           static_cast<uint64_t>(cause.kind) << 48 |
           static_cast<uint64_t>(cause.route) << 8 | cause.type;
  }

  uint32_t Intern(const Cause& cause) {
    const uint64_t key = KeyOf(cause);
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
