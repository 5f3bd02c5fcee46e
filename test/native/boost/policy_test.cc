#include "boost/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/native/boost/policy_kit.h"

namespace edgewise {
namespace {

using ::testing::HasSubstr;

std::string Refusal(std::string_view names, const PolicyConfig& config = {}) {
  const auto policy = MakePolicy(names, config);
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument)
      << names;
  return std::string(policy.status().message());
}

TEST(Policy, EveryNameMakesAPolicyOfThatName) {
  for (const std::string_view name : PolicyNames()) {
    EXPECT_EQ(MakeOrDie(name)->name(), name);
    EXPECT_EQ(MakeOrDie(name)->next_deadline_ns(), kNever);
  }
}

TEST(Policy, RefusesWordsItDoesNotKnow) {
  const std::string unknown = Refusal("gc,qeue");
  EXPECT_THAT(unknown, HasSubstr("\"qeue\" does not exist"));
  for (const std::string_view name : PolicyNames()) {
    EXPECT_THAT(unknown, HasSubstr(std::string(name)));
  }
  EXPECT_THAT(Refusal("gc,queue,gc"), HasSubstr("\"gc\" is named twice"));
  for (const std::string_view names : {"", ",", "gc,", ",gc", "gc,,queue"}) {
    EXPECT_THAT(Refusal(names), HasSubstr("\"\" is empty")) << names;
  }
  Refusal("GC");
  Refusal("gc, queue");
}

TEST(Policy, RefusesConfigurationsOutOfRange) {
  PolicyConfig config;
  config.queue_factor = 0.99;
  EXPECT_THAT(Refusal("gc", config), HasSubstr("0.99"));
  config = {};
  config.head_factor = 101;
  EXPECT_THAT(Refusal("gc", config), HasSubstr("101"));
  config = {};
  config.percentile = 100;
  EXPECT_THAT(Refusal("gc", config), HasSubstr("100"));
  config = {};
  config.target_ns = -1;
  EXPECT_THAT(Refusal("slo", config), HasSubstr("negative"));
}

TEST(Policy, StaticLevelsStay) {
  Player mid(MakeOrDie("mid"));
  mid.Busy(5);
  EXPECT_EQ(mid.level(), Level::kMid);
  EXPECT_EQ(mid.reason(), Reason::kStatic);
  EXPECT_EQ(MakeOrDie("high")->want().level, Level::kHigh);
  EXPECT_EQ(MakeOrDie("low")->want().reason, Reason::kNone);
}

TEST(Policy, SeveralWantTheHighestOfTheirs) {
  Player player(MakeOrDie("mid,gc"));
  EXPECT_EQ(player.policy().name(), "mid,gc");
  EXPECT_EQ(player.level(), Level::kMid);
  EXPECT_EQ(player.reason(), Reason::kStatic);
  player.GcBegin();
  EXPECT_EQ(player.level(), Level::kHigh);
  EXPECT_EQ(player.reason(), Reason::kGc);
  player.GcEnd();
  EXPECT_EQ(player.level(), Level::kMid);
}

TEST(Policy, SeveralHaveThePatienceOfTheLeastPatient) {
  const auto patience_ns = [](std::string_view names) {
    return MakeOrDie(names, {.transition_ns = kMs})->patience_ns();
  };
  EXPECT_EQ(patience_ns("gc"), kNever);
  EXPECT_EQ(patience_ns("mid"), kNever);
  EXPECT_EQ(patience_ns("queue"), 2 * kMs) << "two transitions";
  EXPECT_EQ(patience_ns("gc,queue"), 2 * kMs);
  EXPECT_EQ(MakeOrDie("queue")->patience_ns(), kMs / 2);
  EXPECT_EQ(patience_ns("gc,slo"), 0);
}

TEST(Policy, SeveralShareTheFirstDeadline) {
  PolicyConfig config;
  config.transition_ns = 500 * kUs;
  Player player(MakeOrDie("gc,queue", config));
  for (int i = 0; i < 100; ++i) {
    player.Busy(1);
    player.Event();
    player.GcBegin();
    player.Pass(100 * kUs);
    player.GcEnd();
    player.Idle();
  }
  player.Event();
  const int64_t head_ns = player.now_ns() + kMs;
  EXPECT_EQ(player.policy().next_deadline_ns(), head_ns);
  player.Pass(300 * kUs);
  player.GcBegin();
  EXPECT_EQ(player.policy().next_deadline_ns(), head_ns);
  player.Pass(700 * kUs);
  EXPECT_EQ(player.reason(), Reason::kHead);
  player.Pass(300 * kUs);
  EXPECT_EQ(player.reason(), Reason::kGc);  // named first
  EXPECT_EQ(player.deadlines(), 2);
}

}  // namespace
}  // namespace edgewise
