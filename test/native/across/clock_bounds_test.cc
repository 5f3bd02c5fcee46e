#include "across/clock_bounds.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace edgewise {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kUnixNs = 1'700'000'000'000 * kMs;

// A call of 10 ms, whose request is there 4 ms after it was asked, by a clock
// that is 50 ms ahead and counts from elsewhere.
class ClockBoundsTest : public testing::Test {
 protected:
  void Add(int64_t asked_ms, int64_t there_ms, int64_t read_ms) {
    CalledRow call{};
    call.service = 1;
    call.asked_ns = asked_ms * kMs;
    call.read_ns = read_ms * kMs;
    ServedRow served{};
    served.service = 2;
    served.clock = clock_;
    served.ready_ns = there_ms * kMs + kElsewhereNs;
    bounds_.Add({&call, &served, {}}, kUnixNs,
                kUnixNs + 50 * kMs - kElsewhereNs);
  }
  ClockBounds::Bounds Whole() const {
    return ClockBounds::Whole(bounds_.bounds().begin()->second);
  }

  static constexpr int64_t kElsewhereNs = 12'345 * kMs;
  uint16_t clock_ = 1;
  ClockBounds bounds_;
};

TEST_F(ClockBoundsTest, BetweenTheQuestionAndTheAnswer) {
  Add(0, 4, 10);
  ASSERT_EQ(bounds_.bounds().size(), 1u);
  const ClockBounds::Key& key = bounds_.bounds().begin()->first;
  EXPECT_EQ(key.from, 1);
  EXPECT_EQ(key.to, 2);
  EXPECT_EQ(Whole().least_ns, 44 * kMs);
  EXPECT_EQ(Whole().most_ns, 54 * kMs);
}

TEST_F(ClockBoundsTest, EachCallMakesThemCloser) {
  Add(0, 4, 10);
  Add(20, 21, 40);
  Add(50, 58, 60);
  const ClockBounds::Bounds bounds = Whole();
  EXPECT_EQ(bounds.least_ns, 48 * kMs);
  EXPECT_EQ(bounds.most_ns, 51 * kMs);
  EXPECT_TRUE(bounds.hold());
}

TEST_F(ClockBoundsTest, AClockThatWasSetHasNone) {
  Add(0, 4, 10);
  Add(20, 2021, 40);
  EXPECT_FALSE(Whole().hold());
}

TEST_F(ClockBoundsTest, AClockThatDriftsHasThemByTheMinute) {
  Add(0, 4, 10);
  Add(60'000, 60'034, 60'010);
  EXPECT_FALSE(Whole().hold());
  const ClockBounds::Minutes& minutes = bounds_.bounds().begin()->second;
  ASSERT_EQ(minutes.size(), 2u);
  EXPECT_EQ(minutes.begin()->second.least_ns, 44 * kMs);
  EXPECT_EQ(minutes.rbegin()->first, minutes.begin()->first + 1);
  EXPECT_EQ(minutes.rbegin()->second.least_ns, 74 * kMs);
  EXPECT_EQ(minutes.rbegin()->second.most_ns, 84 * kMs);
}

TEST_F(ClockBoundsTest, OneClockNeedsNone) {
  clock_ = 0;
  Add(0, 4, 10);
  EXPECT_TRUE(bounds_.bounds().empty());
}

}  // namespace
}  // namespace edgewise
