#include <memory>
#include <vector>

#include "boost/daemon/arbiter.h"
#include "boost/daemon/rate_limit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/native/boost/daemon_kit.h"

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kIntervalNs = 100;

// Domains with one CPU each, and the virtual time of the test.
class ArbiterTest : public ::testing::Test {
 protected:
  std::unique_ptr<Arbiter> Make(int domains, Level max_level = Level::kHigh) {
    std::vector<BoostDomain> made;
    for (int i = 0; i < domains; ++i) {
      asked_.push_back(std::make_shared<Asked>());
      made.push_back(
          {.cpus = {i},
           .actuator = std::make_unique<RecordingActuator>(asked_.back())});
    }
    return std::make_unique<Arbiter>(
        std::move(made),
        Arbiter::Limits{.max_level = max_level, .min_interval_ns = kIntervalNs},
        /*now_ns=*/0, [this](const absl::Status&) { ++errors_; });
  }

  std::vector<std::shared_ptr<Asked>> asked_;
  int errors_ = 0;
};

TEST_F(ArbiterTest, TheHighestOfAllClientsHolds) {
  const auto arbiter = Make(1);
  for (const uint32_t id : {1, 2, 3}) arbiter->Join(id, {0});
  EXPECT_EQ(arbiter->Ask(1, Level::kMid, 1).granted, Level::kMid);
  EXPECT_EQ(arbiter->Ask(2, Level::kHigh, 2).granted, Level::kHigh);
  EXPECT_EQ(arbiter->Ask(3, Level::kMid, 3).granted, Level::kMid);
  EXPECT_EQ(arbiter->Ask(2, Level::kLow, 4).granted, Level::kLow);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kMid);
  arbiter->Ask(1, Level::kLow, 5);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kMid);
  arbiter->Ask(3, Level::kLow, 6);
  EXPECT_THAT(asked_[0]->levels(),
              ElementsAre(Level::kMid, Level::kHigh, Level::kMid, Level::kLow));
  EXPECT_EQ(arbiter->requests(), 6u);
  EXPECT_EQ(arbiter->boosts(), 3u);
}

TEST_F(ArbiterTest, AClientThatLeavesTakesItsLevelAlong) {
  const auto arbiter = Make(1);
  arbiter->Join(1, {0});
  arbiter->Join(2, {0});
  arbiter->Ask(1, Level::kHigh, 1);
  arbiter->Ask(2, Level::kMid, 2);
  arbiter->Leave(1, 3);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kMid);
  arbiter->Leave(2, 4);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kLow);
  arbiter->Leave(2, 5);  // of nobody: nothing
  EXPECT_EQ(asked_[0]->levels().size(), 3u);
}

TEST_F(ArbiterTest, NobodyPassesTheHighestAllowedLevel) {
  const auto arbiter = Make(1, Level::kMid);
  arbiter->Join(1, {0});
  EXPECT_EQ(arbiter->Ask(1, Level::kHigh, 1).granted, Level::kMid);
  EXPECT_THAT(asked_[0]->levels(), ElementsAre(Level::kMid));
}

TEST_F(ArbiterTest, AClientIsHeldToItsRateAndNobodyElseIs) {
  const auto arbiter = Make(1);
  arbiter->Join(1, {0});
  arbiter->Join(2, {0});
  const auto level_of = [](int64_t i) {
    return i % 2 == 0 ? Level::kHigh : Level::kLow;
  };
  for (int64_t i = 0; i < Arbiter::kBurst; ++i) {
    EXPECT_FALSE(arbiter->Ask(1, level_of(i), 1000).too_soon) << i;
  }
  const Arbiter::Answer late = arbiter->Ask(1, Level::kHigh, 1000);
  EXPECT_TRUE(late.too_soon);
  EXPECT_EQ(late.retry_ns, 1000 + kIntervalNs);
  EXPECT_EQ(late.granted, Level::kLow);
  // Asking for what holds needs no token, and takes none.
  EXPECT_FALSE(arbiter->Ask(1, Level::kLow, 1000).too_soon);
  EXPECT_TRUE(arbiter->Ask(1, Level::kHigh, late.retry_ns - 1).too_soon);
  EXPECT_FALSE(arbiter->Ask(2, Level::kMid, 1000).too_soon);
  EXPECT_FALSE(arbiter->Ask(1, Level::kHigh, late.retry_ns).too_soon);
  EXPECT_TRUE(arbiter->Ask(1, Level::kLow, late.retry_ns).too_soon);
  // Who leaves is not kept at its level by its rate.
  arbiter->Leave(1, late.retry_ns);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kMid);
}

TEST_F(ArbiterTest, EachDomainFollowsItsOwnClients) {
  const auto arbiter = Make(3);
  EXPECT_THAT(arbiter->DomainsOf({1}), ElementsAre(1u));
  EXPECT_THAT(arbiter->DomainsOf({0, 2, 7}), ElementsAre(0u, 2u));
  arbiter->Join(1, {1});
  arbiter->Join(2, {0, 1});
  arbiter->Ask(1, Level::kHigh, 1);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kLow);
  arbiter->Ask(2, Level::kMid, 2);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kMid);
  EXPECT_EQ(arbiter->LevelOf(1), Level::kHigh);
  EXPECT_TRUE(asked_[2]->levels().empty());
}

TEST_F(ArbiterTest, AFailedChangeIsToldAndTriedAgain) {
  const auto arbiter = Make(1);
  arbiter->Join(1, {0});
  arbiter->Ask(1, Level::kHigh, 1);
  asked_[0]->fails = true;
  EXPECT_EQ(arbiter->Ask(1, Level::kLow, 2).granted, Level::kLow);
  EXPECT_EQ(arbiter->LevelOf(0), Level::kHigh);
  EXPECT_FALSE(arbiter->Settle(3));
  EXPECT_EQ(errors_, 2);
  EXPECT_EQ(arbiter->actuator_errors(), 2u);
  asked_[0]->fails = false;
  EXPECT_TRUE(arbiter->Settle(4));
  EXPECT_EQ(arbiter->LevelOf(0), Level::kLow);
  asked_[0]->fails = true;
  EXPECT_EQ(arbiter->Ask(1, Level::kHigh, 5).granted, Level::kLow);
}

TEST_F(ArbiterTest, TimeIsCountedByLevel) {
  const auto arbiter = Make(2);
  arbiter->Join(1, {0});
  arbiter->Ask(1, Level::kMid, 10);
  arbiter->Ask(1, Level::kHigh, 30);
  EXPECT_THAT(arbiter->TimeInLevels(60), ElementsAre(10 + 60, 20, 30));
}

TEST(RateLimitTest, ABurstThenOneAnInterval) {
  RateLimit limit(/*interval_ns=*/10, /*burst=*/3);
  EXPECT_TRUE(limit.Take(1000));
  EXPECT_TRUE(limit.Take(1000));
  EXPECT_TRUE(limit.Take(1000));
  EXPECT_FALSE(limit.Take(1009));
  EXPECT_EQ(limit.next_ns(), 1010);
  EXPECT_TRUE(limit.Take(1010));
  EXPECT_FALSE(limit.Take(1010));
  // The bucket fills no further than the burst.
  EXPECT_TRUE(limit.Take(5000));
  EXPECT_TRUE(limit.Take(5000));
  EXPECT_TRUE(limit.Take(5000));
  EXPECT_FALSE(limit.Take(5000));
}

}  // namespace
}  // namespace edgewise
