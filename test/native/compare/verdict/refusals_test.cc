#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/verdict/comparison.h"
#include "test/native/compare/sides.h"

// What recordings cannot tell is refused, each time with the reason.

namespace edgewise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr CompareOptions kQuick = {.resamples = 400};
constexpr int64_t kAnotherTime = 1'700'000'000'000'000'000 + 1'000'000'000'000;

Side Before() { return MadeSide({.seed = 1}); }
Side After() { return MadeSide({.seed = 2, .begin_ns = kAnotherTime}); }

TEST(RefusalsTest, NothingIsRefusedOfWhatIsAlike) {
  EXPECT_THAT(Compare(Before(), After(), kQuick).refused, IsEmpty());
}

TEST(RefusalsTest, RecordedInAnotherWay) {
  Side a = Before();
  Side b = After();
  a.recorded.how = {"causality events", "mode stream"};
  b.recorded.how = {"causality promises", "mode stream"};
  EXPECT_THAT(Compare(a, b, kQuick).refused,
              Contains(HasSubstr("A was recorded with causality events")));
}

TEST(RefusalsTest, WhatIsLost) {
  Side b = After();
  b.recorded.records = 99'800;
  b.recorded.dropped = 200;
  EXPECT_THAT(Compare(Before(), b, kQuick).refused,
              Contains(HasSubstr("B lacks 0.20 % of its records")));
  b.recorded.dropped = 20;
  EXPECT_THAT(Compare(Before(), b, kQuick).refused, IsEmpty());
}

// Ten clients that ask again as soon as they have an answer.
Side ClosedLoop(double busy) {
  Side side;
  Run run;
  run.begin_ns = kAnotherTime;
  run.end_ns = kAnotherTime + 60'000'000'000;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> length(5e6, 15e6);
  std::vector<int64_t> free_at(10, kAnotherTime);
  while (true) {
    auto next = std::min_element(free_at.begin(), free_at.end());
    if (*next >= run.end_ns) break;
    const float ns = length(random);
    run.requests.push_back({*next, ns, 1, 0, {ns, 0, 0, 0, 0}});
    *next += static_cast<int64_t>(ns);
  }
  side.runs.push_back(std::move(run));
  side.recorded.busy = busy;
  return side;
}

TEST(RefusalsTest, ClientsThatWaitForABusyServer) {
  EXPECT_THAT(Compare(Before(), ClosedLoop(0.97), kQuick).refused,
              Contains(HasSubstr("the clients of B wait for their answers")));
  EXPECT_THAT(Compare(Before(), ClosedLoop(0.5), kQuick).refused,
              Not(Contains(HasSubstr("wait for their answers"))));
}

TEST(RefusalsTest, ClientsThatDoNotWait) {
  Side b = After();
  b.recorded.busy = 0.97;
  EXPECT_THAT(Compare(Before(), b, kQuick).refused, IsEmpty());
}

TEST(RefusalsTest, ASecondAThatIsSlower) {
  const Side second = MadeSide(
      {.seed = 3, .slower = 1.3, .begin_ns = kAnotherTime + kAnotherTime / 2});
  CompareOptions options = kQuick;
  options.second_a = &second;
  const Comparison found = Compare(Before(), After(), options);
  EXPECT_TRUE(found.second);
  EXPECT_THAT(found.refused, Contains(HasSubstr("the second A differs")));
  const Side same =
      MadeSide({.seed = 4, .begin_ns = kAnotherTime + kAnotherTime / 2});
  options.second_a = &same;
  EXPECT_THAT(Compare(Before(), After(), options).refused, IsEmpty());
}

TEST(RefusalsTest, BlocksThatAreShorterThanTheMemory) {
  CompareOptions options = kQuick;
  options.block_ns = 0.05e9;
  const auto told = [&](double memory_s) {
    const SideSpec a{.seed = 1, .memory_s = memory_s};
    const SideSpec b{.seed = 2, .memory_s = memory_s, .begin_ns = kAnotherTime};
    return Compare(MadeSide(a), MadeSide(b), options).refused;
  };
  EXPECT_THAT(told(0.5), Contains(HasSubstr("blocks of 0.05 s are too short")));
}

TEST(RefusalsTest, SharesThatDifferByChanceAreNotRefused) {
  // Of 300 requests a side, a share of 30 % may be 25 or 35.
  const Comparison found = Compare(
      MadeSide({.seed = 1, .per_second = 5}),
      MadeSide({.seed = 8, .per_second = 5, .begin_ns = kAnotherTime}), kQuick);
  EXPECT_GT(found.mixture, 0.02);
  EXPECT_THAT(found.refused, Not(Contains(HasSubstr("share of a route"))));
}

}  // namespace
}  // namespace edgewise
