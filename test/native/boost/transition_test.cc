#include "boost/transition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgewise {
namespace {

using testing::HasSubstr;

constexpr Frequencies kFrequencies = {2'600'000, 3'300'000, 4'000'000};

// A processor on a clock of its own.
struct FakeProcessor {
  int64_t now_ns = 0;
  Level level = Level::kLow;
  int64_t since_ns = 0;  // of `level`
  int64_t delay_ns = 0;  // until a spin loop feels it
  bool spin_feels = true;
  bool driver_shows = false;  // what was asked for, at once
  int64_t call_ns = 3000;
  int calls_until_failure = -1;

  TransitionProbes Probes() {
    TransitionProbes probes;
    probes.set = [this](Level asked) {
      if (calls_until_failure == 0) return absl::UnavailableError("offline");
      --calls_until_failure;
      now_ns += call_ns;
      since_ns = now_ns;
      level = asked;
      return absl::OkStatus();
    };
    probes.spin = [this] {
      now_ns += 10'000;
      const bool fast =
          spin_feels && level == Level::kHigh && now_ns - since_ns >= delay_ns;
      // Disturbed every now and then, as loops are.
      return (fast ? 4.0 : 2.6) * ((now_ns / 10'000) % 7 == 0 ? 0.7 : 1.0);
    };
    probes.current_khz = [this]() -> uint32_t {
      now_ns += 1000;
      if (!driver_shows) return 0;
      return kFrequencies[static_cast<size_t>(level)];
    };
    probes.now_ns = [this] { return now_ns; };
    return probes;
  }
};

TEST(TransitionTest, FindsTheTimeUntilASpinLoopRunsFaster) {
  for (const int64_t delay_ns : {0, 50'000, 500'000, 5'000'000}) {
    FakeProcessor processor;
    processor.delay_ns = delay_ns;
    const auto timing = MeasureTiming(processor.Probes(), kFrequencies, 20'000);
    ASSERT_TRUE(timing.ok()) << timing.status();
    EXPECT_EQ(timing->call_ns, 3000);
    EXPECT_NEAR(timing->transition_ns, delay_ns, 30'000);
    EXPECT_THAT(timing->source, HasSubstr("measured"));
    EXPECT_EQ(processor.level, Level::kLow);
  }
}

TEST(TransitionTest, WhatTheDriverShowsIsNotLessThanItsWord) {
  FakeProcessor processor;
  processor.spin_feels = false;
  processor.driver_shows = true;
  const auto timing = MeasureTiming(processor.Probes(), kFrequencies, 20'000);
  ASSERT_TRUE(timing.ok()) << timing.status();
  EXPECT_EQ(timing->transition_ns, 20'000);
  EXPECT_THAT(timing->source, HasSubstr("as the driver shows it"));
}

TEST(TransitionTest, SaysWhenNothingWasSeen) {
  FakeProcessor processor;
  processor.spin_feels = false;
  const auto word = MeasureTiming(processor.Probes(), kFrequencies, 20'000);
  ASSERT_TRUE(word.ok()) << word.status();
  EXPECT_EQ(word->transition_ns, 20'000);
  EXPECT_THAT(word->source, HasSubstr("the driver's word"));
  EXPECT_LT(processor.now_ns, 70'000'000) << "a start-up takes so long";
  const auto assumed = MeasureTiming(processor.Probes(), kFrequencies, 0);
  ASSERT_TRUE(assumed.ok()) << assumed.status();
  EXPECT_EQ(assumed->transition_ns, kAssumedTransitionNs);
  EXPECT_THAT(assumed->source, HasSubstr("assumed"));
}

TEST(TransitionTest, DoesNotLookForWhatCannotBeSeen) {
  FakeProcessor processor;
  const auto timing = MeasureTiming(processor.Probes(), {}, 20'000);
  ASSERT_TRUE(timing.ok()) << timing.status();
  EXPECT_EQ(timing->transition_ns, 20'000);
  EXPECT_LT(processor.now_ns, 1'000'000);
}

TEST(TransitionTest, ReturnsTheActuatorsError) {
  for (const int calls : {0, 5, 18, 19}) {
    FakeProcessor processor;
    processor.spin_feels = false;
    processor.calls_until_failure = calls;
    const auto timing = MeasureTiming(processor.Probes(), kFrequencies, 20'000);
    EXPECT_EQ(timing.status(), absl::UnavailableError("offline")) << calls;
  }
}

TEST(TransitionTest, TheSpinLoopOfThisThreadTakesTime) {
  const TransitionProbes probes = ProbesOfThisThread(
      [](Level) { return absl::OkStatus(); }, [] { return uint32_t{0}; });
  const int64_t begin_ns = probes.now_ns();
  const double rate = probes.spin();
  const int64_t took_ns = probes.now_ns() - begin_ns;
  EXPECT_GT(rate, 0);
  // At least 3 cycles for each of 8,000 multiplications, below 8 GHz.
  EXPECT_GE(took_ns, 3000);
}

}  // namespace
}  // namespace edgewise
