#include <gtest/gtest.h>

#include "test/native/boost/policy_kit.h"

namespace edgewise {
namespace {

PolicyConfig WithTransition(int64_t transition_ns) {
  PolicyConfig config = PaperConfig();
  config.transition_ns = transition_ns;
  return config;
}

// A kind whose collections take that long at the low level.
void Collect(Player* player, int times, int64_t each_ns) {
  for (int i = 0; i < times; ++i) {
    player->GcBegin();
    player->Pass(each_ns);
    player->GcEnd();
    player->Pass(kMs);
  }
}

TEST(GcPolicy, BoostsFromBeginToEnd) {
  Player player(MakeOrDie("gc"));
  EXPECT_EQ(player.level(), Level::kLow);
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_EQ(player.reason(), Reason::kGc);
  player.Pass(kMs);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.GcEnd();
  EXPECT_EQ(player.level(), Level::kLow);
  EXPECT_EQ(player.reason(), Reason::kNone);
}

TEST(GcPolicy, NestedCollectionsAreOne) {
  Player player(MakeOrDie("gc"));
  player.GcBegin(GcKind::kMarkSweepCompact);
  player.GcBegin(GcKind::kWeakCallbacks);
  player.GcEnd(GcKind::kWeakCallbacks);
  EXPECT_EQ(player.level(), Level::kHigh);
  player.GcEnd(GcKind::kMarkSweepCompact);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(GcPolicy, IgnoresAnEndWithoutBegin) {
  Player player(MakeOrDie("gc"));
  player.GcEnd();
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kHigh);
  player.GcEnd();
  player.GcEnd();
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(GcPolicy, BoostsEveryCollectionWhenTransitionsAreFree) {
  Player player(MakeOrDie("gc", WithTransition(0)));
  Collect(&player, 50, 1 * kUs);
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kHigh);
}

TEST(GcPolicy, BoostsAShortKindOnlyOnceItHasLasted) {
  Player player(MakeOrDie("gc", WithTransition(500 * kUs)));
  Collect(&player, 20, 300 * kUs);
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kLow);
  EXPECT_EQ(player.policy().next_deadline_ns(), player.now_ns() + kMs);
  player.Pass(kMs - 1);
  EXPECT_EQ(player.level(), Level::kLow);
  player.Pass(1);
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_EQ(player.policy().next_deadline_ns(), kNever);
  player.GcEnd();
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(GcPolicy, ForgetsTheDeadlineOfACollectionThatEnded) {
  Player player(MakeOrDie("gc", WithTransition(500 * kUs)));
  Collect(&player, 20, 300 * kUs);
  player.GcBegin();
  player.GcEnd();
  EXPECT_EQ(player.policy().next_deadline_ns(), kNever);
  player.Pass(10 * kMs);
  EXPECT_EQ(player.level(), Level::kLow);
}

TEST(GcPolicy, KnowsKindsApart) {
  Player player(MakeOrDie("gc", WithTransition(500 * kUs)));
  Collect(&player, 20, 300 * kUs);
  player.GcBegin(GcKind::kMarkSweepCompact);  // not seen before
  EXPECT_EQ(player.level(), Level::kHigh);
}

TEST(GcPolicy, LearnsAKindThatGetsShort) {
  Player player(MakeOrDie("gc", WithTransition(500 * kUs)));
  Collect(&player, 20, 5 * kMs);
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kHigh);
  player.GcEnd();
  Collect(&player, 60, 100 * kUs);
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kLow);
}

// 1.2 ms at 2.6 GHz: half a millisecond until the frequency is there, and
// 0.7 / 1.54 at it. Shorter than two transitions, and yet worth it.
TEST(GcPolicy, JudgesABoostedKindByItsDurationAtLow) {
  Player player(MakeOrDie("gc", WithTransition(500 * kUs)));
  for (int i = 0; i < 100; ++i) {
    player.GcBegin();
    ASSERT_EQ(player.level(), Level::kHigh) << i;
    player.Pass(955 * kUs);
    player.GcEnd();
    player.Pass(kMs);
  }
}

// 7.5 ms at 2.6 GHz: 5 ms until the frequency is there, 2.5 / 1.54 ms at it.
// Shorter than two transitions.
TEST(GcPolicy, TakesTheTransitionForTimeAtLow) {
  Player player(MakeOrDie("gc", WithTransition(5 * kMs)));
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kHigh) << "not seen before";
  player.Pass(6'625 * kUs);
  player.GcEnd();
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kLow);
}

}  // namespace
}  // namespace edgewise
