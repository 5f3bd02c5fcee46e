#include "platform/clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cmath>

namespace edgewise {
namespace {

TEST(ClockTest, TicksNeverGoBack) {
  uint64_t last = Ticks();
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t now = Ticks();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(ClockTest, TicksAndMonotonicTimeAgree) {
  const ClockTriple first = ReadClocks();
  const timespec pause{0, 50'000'000};
  nanosleep(&pause, nullptr);
  const ClockTriple last = ReadClocks();
  const auto ticks = static_cast<double>(last.ticks - first.ticks);
  const auto ns = static_cast<double>(last.monotonic_ns - first.monotonic_ns);
  EXPECT_NEAR(ticks / TicksPerNs() / ns, 1.0, 0.01);
  EXPECT_GE(ns, 50e6);
}

TEST(ClockTest, ConvertsNanosecondsToTicks) {
  EXPECT_NEAR(static_cast<double>(NsToTicks(1e9)), 1e9 * TicksPerNs(),
              1e6 * TicksPerNs());
}

TEST(ClockTest, NamesItsSource) {
  EXPECT_TRUE(TickSource() == "tsc" || TickSource() == "monotonic");
}

}  // namespace
}  // namespace edgewise
