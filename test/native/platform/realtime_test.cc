#include "platform/realtime.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "platform/clock.h"

namespace edgewise {
namespace {

double NsBetween(uint64_t later, uint64_t earlier) {
  return static_cast<double>(static_cast<int64_t>(later - earlier)) /
         TicksPerNs();
}

TEST(RealtimeToTicksTest, PlacesATimeOfThePast) {
  RealtimeToTicks realtime;
  const ClockTriple clocks = ReadClocks();
  for (const int64_t ago_ns : {0, 1'000, 2'000'000, 1'000'000'000}) {
    const uint64_t ticks =
        realtime.TicksAt(clocks.realtime_ns - ago_ns, Ticks());
    ASSERT_NE(ticks, 0u);
    EXPECT_NEAR(NsBetween(clocks.ticks, ticks), static_cast<double>(ago_ns),
                20e3 + 1e-3 * static_cast<double>(ago_ns));
  }
}

TEST(RealtimeToTicksTest, PlacesNoTimeOfTheFuture) {
  RealtimeToTicks realtime;
  const uint64_t now = Ticks();
  const ClockTriple clocks = ReadClocks();
  EXPECT_EQ(realtime.TicksAt(clocks.realtime_ns + 5'000'000'000, now), 0u);
}

TEST(RealtimeToTicksTest, NeverAnswersLaterThanNow) {
  RealtimeToTicks realtime;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t now = Ticks();
    const uint64_t ticks = realtime.TicksAt(ReadClocks().realtime_ns, now);
    EXPECT_LE(ticks, now);
  }
}

}  // namespace
}  // namespace edgewise
