#include "boost/actuator/frequency_timeline.h"

#include <gtest/gtest.h>

namespace edgewise {
namespace {

constexpr Shares kShares = {0.35, 0.175, 0};

TEST(FrequencyTimelineTest, BeginsLowAndCountsFromThen) {
  const FrequencyTimeline timeline(0, 1000);
  EXPECT_EQ(timeline.At(5000), Level::kLow);
  EXPECT_EQ(timeline.ResidencyAt(5000), (Residency{4000, 0, 0}));
  EXPECT_DOUBLE_EQ(timeline.DueNs(kShares, 5000), 1400);
}

TEST(FrequencyTimelineTest, WithoutDelayALevelHoldsAtOnce) {
  FrequencyTimeline timeline(0, 0);
  timeline.Ask(Level::kHigh, 100);
  EXPECT_EQ(timeline.At(100), Level::kHigh);
  EXPECT_EQ(timeline.switch_ns(), FrequencyTimeline::kNoTime);
  timeline.Ask(Level::kMid, 150);
  timeline.Ask(Level::kLow, 170);
  EXPECT_EQ(timeline.ResidencyAt(200), (Residency{130, 20, 50}));
  EXPECT_DOUBLE_EQ(timeline.DueNs(kShares, 200), 0.35 * 130 + 0.175 * 20);
}

TEST(FrequencyTimelineTest, ADelayShiftsBothDirections) {
  FrequencyTimeline timeline(50, 0);
  timeline.Ask(Level::kHigh, 100);
  EXPECT_EQ(timeline.At(149), Level::kLow);
  EXPECT_EQ(timeline.switch_ns(), 150);
  EXPECT_EQ(timeline.At(150), Level::kHigh);
  timeline.Ask(Level::kLow, 300);
  EXPECT_EQ(timeline.At(349), Level::kHigh);
  EXPECT_EQ(timeline.ResidencyAt(400), (Residency{200, 0, 200}));
}

TEST(FrequencyTimelineTest, WithdrawnBeforeItTookEffect) {
  FrequencyTimeline timeline(50, 0);
  timeline.Ask(Level::kHigh, 100);
  timeline.Ask(Level::kLow, 120);
  EXPECT_EQ(timeline.switch_ns(), FrequencyTimeline::kNoTime);
  EXPECT_EQ(timeline.ResidencyAt(400), (Residency{400, 0, 0}));
}

TEST(FrequencyTimelineTest, AskedForAgainComesNoLater) {
  FrequencyTimeline timeline(50, 0);
  timeline.Ask(Level::kHigh, 100);
  timeline.Ask(Level::kHigh, 140);
  EXPECT_EQ(timeline.switch_ns(), 150);
}

TEST(FrequencyTimelineTest, AnotherLevelReplacesTheOneUnderWay) {
  FrequencyTimeline timeline(50, 0);
  timeline.Ask(Level::kMid, 100);
  timeline.Ask(Level::kHigh, 120);
  EXPECT_EQ(timeline.switch_ns(), 170);
  EXPECT_EQ(timeline.ResidencyAt(200), (Residency{170, 0, 30}));
}

// What fell between two looks of a thief is accounted for all the same.
TEST(FrequencyTimelineTest, ManyShortBoostsAddUp) {
  FrequencyTimeline timeline(0, 0);
  for (int64_t i = 0; i < 1000; ++i) {
    timeline.Ask(Level::kHigh, 100 * i + 30);
    timeline.Ask(Level::kLow, 100 * i + 90);
  }
  EXPECT_EQ(timeline.ResidencyAt(100'000), (Residency{40'000, 0, 60'000}));
}

}  // namespace
}  // namespace edgewise
