#include "trace/burst.h"

#include <gtest/gtest.h>

namespace edgewise {
namespace {

constexpr int64_t kMs = Burst::kMsNs;

TEST(BurstTest, IsWhereAllBitsAreSet) {
  const Burst burst(96);  // 32 ms of each 128
  EXPECT_EQ(burst.duration_ns(), 32 * kMs);
  int64_t on = 0;
  for (int64_t ms = 0; ms < 1280; ++ms) {
    EXPECT_EQ(burst.On(ms * kMs), ms % 128 >= 96) << ms;
    on += burst.On(ms * kMs) ? 1 : 0;
  }
  EXPECT_EQ(on, 320);
}

TEST(BurstTest, HoldsWhatLiesInOne) {
  const Burst burst(96);
  EXPECT_TRUE(burst.Holds(96 * kMs, 128 * kMs - 1));
  EXPECT_FALSE(burst.Holds(96 * kMs, 128 * kMs));
  EXPECT_FALSE(burst.Holds(96 * kMs - 1, 100 * kMs));
  EXPECT_FALSE(burst.Holds(100 * kMs, 230 * kMs)) << "in two";
  EXPECT_TRUE(Burst(0).Holds(0, INT64_MAX)) << "it is always";
}

TEST(BurstTest, FindsTheNextOfAnyConfiguration) {
  for (const uint64_t config : {uint64_t{1}, uint64_t{2}, uint64_t{5},
                                uint64_t{40}, uint64_t{96}, uint64_t{385}}) {
    const Burst burst(config);
    int64_t next = 0;
    for (int64_t ms = 0; ms < 2000; ++ms) {
      if (next < ms) next = ms;
      while (!burst.On(next * kMs)) ++next;
      const int64_t at = ms * kMs + 7;
      EXPECT_EQ(burst.NextNs(at), next == ms ? at : next * kMs)
          << config << " from " << ms;
    }
  }
}

}  // namespace
}  // namespace edgewise
