#include "boost/policy/running_time.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "test/native/boost/policy_kit.h"

namespace edgewise {
namespace {

// A loop whose thread may be stopped.
class RunningTimeTest : public ::testing::Test {
 protected:
  static Player Make(std::string_view names) {
    return Player(
        std::make_unique<RunningTime>(MakeOrDie(names, PaperConfig())));
  }
  static void Told(Player* player, int64_t ns) {
    player->Tell({.kind = SignalKind::kNotRun,
                  .value = static_cast<uint32_t>(ns / kUs)});
  }
  // An event of a millisecond in which the thread is stopped.
  static void Stopped(Player* player, int64_t ns) {
    player->Busy(1);
    player->Event();
    player->Pass(ns + kMs);
    Told(player, ns);
    player->Idle();
    player->Pass(kMs);
  }
  // How long an event must run to be boosted.
  static int64_t HeadThresholdNs(Player* player) {
    player->Busy(1);
    player->Event();
    const int64_t threshold_ns =
        player->policy().next_deadline_ns() - player->now_ns();
    player->Idle();
    player->Pass(kMs);
    return threshold_ns;
  }
};

TEST_F(RunningTimeTest, AnEventInWhichTheThreadWasStoppedIsNoLongOne) {
  Player player = Make("queue");
  for (int i = 0; i < 300; ++i) player.Batch(1, kMs);
  const int64_t before_ns = HeadThresholdNs(&player);
  for (int i = 0; i < 100; ++i) Stopped(&player, 80 * kMs);
  EXPECT_NEAR(static_cast<double>(HeadThresholdNs(&player)),
              static_cast<double>(before_ns), 0.01 * kMs);

  Player other(MakeOrDie("queue", PaperConfig()));
  for (int i = 0; i < 300; ++i) other.Batch(1, kMs);
  for (int i = 0; i < 100; ++i) other.Batch(1, 81 * kMs);
  EXPECT_GT(HeadThresholdNs(&other), 4 * before_ns) << "if nobody tells";
}

TEST_F(RunningTimeTest, ADeadlineComesLaterByThePauseBeforeIt) {
  Player player = Make("queue");
  for (int i = 0; i < 300; ++i) player.Batch(1, kMs);
  const int64_t threshold_ns = HeadThresholdNs(&player);
  player.Busy(1);
  player.Event();
  Told(&player, 7 * kMs);
  EXPECT_EQ(player.policy().next_deadline_ns() - player.now_ns(),
            threshold_ns + 7 * kMs);
  player.Pass(threshold_ns + 7 * kMs);
  EXPECT_EQ(player.reason(), Reason::kHead);
}

TEST_F(RunningTimeTest, ACollectionThatWasStoppedIsNotWorthMore) {
  Player player = Make("gc");
  PolicyConfig config = PaperConfig();
  config.transition_ns = kMs;
  player = Player(std::make_unique<RunningTime>(MakeOrDie("gc", config)));
  for (int i = 0; i < 100; ++i) {
    player.GcBegin();
    player.Pass(50 * kMs);
    Told(&player, 49 * kMs);
    player.GcEnd();
    player.Pass(kMs);
  }
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kLow) << "shorter than two transitions";
}

// What had come before a pause is not younger for it.
TEST_F(RunningTimeTest, WhatArrivedBeforeAPauseArrivedBeforeIt) {
  struct Last : Policy {
    explicit Last(Signal* signal) : signal_(signal) {}
    std::string_view name() const override { return "last"; }
    void On(const Signal& signal) override { *signal_ = signal; }
    Want want() const override { return {}; }
    Signal* const signal_;
  };
  Signal last{};
  RunningTime running(std::make_unique<Last>(&last));
  running.On({.kind = SignalKind::kNotRun, .value = 5000, .now_ns = 20 * kMs});
  running.On({.kind = SignalKind::kNotRun, .value = 2000, .now_ns = 30 * kMs});
  running.On({.kind = SignalKind::kRequestBegin,
              .request = 1,
              .now_ns = 40 * kMs,
              .arrival_ns = 25 * kMs});
  EXPECT_EQ(last.now_ns, 33 * kMs);
  EXPECT_EQ(last.arrival_ns, 20 * kMs);
  running.On({.kind = SignalKind::kLoopBusy, .now_ns = 41 * kMs});
  EXPECT_EQ(last.arrival_ns, 0) << "not known";
}

// The controller's thread tells of later times while the loop's is stopped.
TEST_F(RunningTimeTest, EveryPolicyTakesTimesThatGoBack) {
  for (const std::string_view name : PolicyNames()) {
    std::mt19937 random(11);
    Player player = Make(name);
    for (int i = 0; i < 3000; ++i) {
      const auto ns = static_cast<int64_t>(random() % (3 * kMs));
      player.Busy(1 + random() % 4);
      player.Event();
      player.Request(i + 1, random() % 3, ns);
      if (random() % 2 == 0) player.GcBegin();
      player.Pass(ns);
      player.Look(random() % 6);
      if (random() % 3 == 0) Told(&player, ns);
      player.GcEnd();
      player.RequestEnd(i + 1);
      player.Idle();
      player.Pass(kMs);
    }
    for (int i = 0; i < 100; ++i) player.Batch(1, kMs / 10);
    if (name == "low" || name == "mid" || name == "high") continue;
    EXPECT_EQ(player.level(), Level::kLow) << name;
  }
}

}  // namespace
}  // namespace edgewise
