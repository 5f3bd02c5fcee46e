#include "boost/look_budget.h"

#include <algorithm>

namespace edgewise {
namespace {

// The share of so long a time is saved up at most, for looks that come at once
// (a queue that grows).
constexpr double kSavedNs = 20'000'000;
// So long the thread is deaf at most when it has taken too much: while it has
// its whole share, and while the loop does not rest.
constexpr double kMostDeafNs = 5'000'000;
constexpr double kMostDeafRestlessNs = 100'000'000;

}  // namespace

void LookBudget::Turn(int64_t now_ns, std::optional<int64_t> look_ns) {
  const auto since_ns = static_cast<double>(now_ns - now_ns_);
  const auto cost_ns = static_cast<double>(look_ns.value_or(0));
  const double most_debt_ns =
      std::min(share_ * kMostDeafNs, share() * kMostDeafRestlessNs);
  credit_ns_ = std::clamp(credit_ns_ + share() * since_ns - cost_ns,
                          -most_debt_ns, share() * kSavedNs);
  if (look_ns) looks_ = std::min(looks_ + 1, kMostLooks);
  now_ns_ = now_ns;
  const double deaf_ns = std::max(0.0, -credit_ns_ / share());
  listens_from_ns_ = now_ns + static_cast<int64_t>(deaf_ns);
}

double LookBudget::share() const { return share_ / (1u << looks_ / kPatience); }

}  // namespace edgewise
