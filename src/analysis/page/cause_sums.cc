#include "analysis/page/cause_sums.h"

#include <algorithm>

namespace edgewise {

uint32_t CauseSums::Intern(const CauseTable::Cause& cause, uint32_t frame) {
  const Cell cell = {causes_->Intern(cause), frame};
  const uint64_t key = static_cast<uint64_t>(cell.cause) << 32 | frame;
  const auto [found, added] =
      numbers_.try_emplace(key, static_cast<uint32_t>(cells_.size()));
  if (added) cells_.push_back(cell);
  return found->second;
}

void CauseSums::Add(uint32_t row, const CauseTable::Cause& cause,
                    uint32_t frame, int64_t ns, uint32_t open,
                    BlameLedger* ledger) {
  if (ns <= 0) return;
  if (open == 0) {
    sums_.Add(row, Intern(cause, frame), ns);
    return;
  }
  ledger->AddReference(open);
  pending_.push_back({row, open, frame, cause.type, ns});
  if (pending_.size() < look_again_) return;
  Resolve(ledger, /*all=*/false);
  look_again_ = std::max(look_again_, 2 * pending_.size());
}

void CauseSums::Resolve(BlameLedger* ledger, bool all) {
  std::erase_if(pending_, [&](const Pending& part) {
    if (!all && ledger->IsOpen(part.owner)) return false;
    const CauseTable::Cause cause = {Blocker::Kind::kRequest,
                                     ledger->RouteOf(part.owner), part.type};
    sums_.Add(part.row, Intern(cause, part.frame), part.ns);
    ledger->DropReference(part.owner);
    return true;
  });
}

}  // namespace edgewise
