#include "platform/clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "test/native/platform/taken_cpu.h"

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

// A thread that has to share its processor is stopped between any two of them.
TEST(ClockTest, TheThreeClocksAreReadTogetherOnABusyProcessor) {
  const std::vector<int> cpus = TwoCpus();
  ASSERT_FALSE(cpus.empty());
  std::thread reader([&cpus] {
    UseCpus({cpus[0]});
    const TakenCpu rival(cpus[0]);
    const ClockTriple first = ReadClocks();
    int64_t widest_ns = 0;
    for (ClockTriple now = first; now.monotonic_ns - first.monotonic_ns < 1e9;
         now = ReadClocks()) {
      const int64_t apart_ns = (now.realtime_ns - first.realtime_ns) -
                               (now.monotonic_ns - first.monotonic_ns);
      widest_ns = std::max(widest_ns, std::abs(apart_ns));
    }
    EXPECT_LT(widest_ns, 500'000);
  });
  reader.join();
}

TEST(ClockTest, ConvertsNanosecondsToTicks) {
  EXPECT_NEAR(static_cast<double>(NsToTicks(1e9)), 1e9 * TicksPerNs(),
              1e6 * TicksPerNs());
}

TEST(ClockTest, NamesItsSource) {
  EXPECT_TRUE(TickSource() == "tsc" || TickSource() == "monotonic");
}

TEST(ClockTest, IsAheadByWhatTheTimeNamespaceAdds) {
  std::ifstream offsets("/proc/self/timens_offsets");
  std::string clock;
  int64_t seconds = 0;
  int64_t ns = 0;
  if (!(offsets >> clock >> seconds >> ns)) GTEST_SKIP() << "no namespaces";
  EXPECT_EQ(MonotonicAheadNs(), seconds * 1'000'000'000 + ns);
}

}  // namespace
}  // namespace edgewise
