#include "boost/look_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace edgewise {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kLookNs = 7'000;
constexpr int64_t kLongRestNs = 10 * kMs;
constexpr int64_t kMostDeafNs = 5 * kMs;
constexpr int64_t kMostDeafRestlessNs = 100 * kMs;

// Something becomes ready every 50 us: a look whenever it listens.
class LookBudgetTest : public testing::Test {
 protected:
  int LooksIn(int64_t ns, bool rests) {
    int looks = 0;
    for (const int64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
      now_ns_ = std::max(now_ns_ + 50'000, budget_.listens_from_ns());
      budget_.Turn(now_ns_, kLookNs);
      if (rests) budget_.Rested(kMs);
      ++looks;
    }
    return looks;
  }

  LookBudget budget_{0.03};
  int64_t now_ns_ = 1000 * kMs;
};

TEST_F(LookBudgetTest, LooksTakeTheirShare) {
  budget_.Rested(kLongRestNs);
  LooksIn(500 * kMs, true);  // What was saved up is spent.
  const int looks = LooksIn(1000 * kMs, true);
  EXPECT_NEAR(looks * kLookNs, 0.03 * 1000 * kMs, 0.0015 * 1000 * kMs);
}

TEST_F(LookBudgetTest, ALoopThatNeverRestsIsLookedAtSeldom) {
  LooksIn(1000 * kMs, false);  // What was saved up is spent.
  EXPECT_NEAR(LooksIn(10'000 * kMs, false), 100, 1);
}

TEST_F(LookBudgetTest, ALoopThatRestsAgainIsLookedAtAgain) {
  LooksIn(60'000 * kMs, false);
  budget_.Rested(kLongRestNs);
  budget_.Turn(now_ns_ += kMs, std::nullopt);
  EXPECT_LE(budget_.listens_from_ns() - now_ns_, kMostDeafNs);
  EXPECT_NEAR(LooksIn(20 * kMs, false) * kLookNs, 0.03 * 20 * kMs,
              0.3 * 0.03 * 20 * kMs);
  LooksIn(60'000 * kMs, false);
  EXPECT_NEAR(LooksIn(10'000 * kMs, false), 100, 1);
}

// A client that was held up now and then.
TEST_F(LookBudgetTest, AShortRestIsGoodForSomeLooks) {
  LooksIn(60'000 * kMs, false);
  int looks = 0;
  for (int i = 0; i < 10; ++i) {
    for (int rest = 0; rest < 4; ++rest) budget_.Rested(kMs / 5);
    looks += LooksIn(1000 * kMs, false);
  }
  EXPECT_GT(looks, 1000);
  EXPECT_LT(looks, 2000);
}

// A server that has started, and gets its first requests.
TEST_F(LookBudgetTest, ALongRestIsGoodForAll) {
  budget_.Rested(kLongRestNs);
  budget_.Turn(now_ns_ += 1000 * kMs, std::nullopt);
  EXPECT_EQ(LooksIn(4 * kMs, false), 80);
}

TEST_F(LookBudgetTest, ABurstIsLookedAtAllTheTime) {
  budget_.Rested(kLongRestNs);
  budget_.Turn(now_ns_ += 1000 * kMs, std::nullopt);
  EXPECT_EQ(LooksIn(4 * kMs, true), 80) << "of 86 that 20 ms save up";
}

TEST_F(LookBudgetTest, ItIsNeverDeafForLong) {
  LooksIn(10'000 * kMs, false);
  budget_.Turn(now_ns_, 50 * kMs);  // The look has waited for a lock, say.
  EXPECT_LE(budget_.listens_from_ns() - now_ns_, kMostDeafRestlessNs);
  budget_.Rested(kLongRestNs);
  budget_.Turn(++now_ns_, std::nullopt);
  EXPECT_LE(budget_.listens_from_ns() - now_ns_, kMostDeafNs);
  budget_.Turn(now_ns_, 50 * kMs);
  EXPECT_LE(budget_.listens_from_ns() - now_ns_, kMostDeafNs);
}

TEST_F(LookBudgetTest, ATurnWithoutALookCostsNothing) {
  for (int i = 0; i < 100; ++i) {
    budget_.Turn(now_ns_ += 20 * kMs, std::nullopt);
  }
  EXPECT_LE(budget_.listens_from_ns(), now_ns_);
}

}  // namespace
}  // namespace edgewise
