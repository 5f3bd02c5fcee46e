#include "compare/sample/bins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "compare/sample/memory.h"
#include "test/native/compare/sides.h"

namespace edgewise {
namespace {

TEST(BinsTest, BlocksOfRunsAreDrawnWhole) {
  Side side = MadeSide({.seconds = 10});
  side.runs.push_back(side.runs[0]);
  const Bins bins(&side, 2e9);
  EXPECT_EQ(bins.count(), 10 * kBinsInABlock);
  EXPECT_EQ(bins.blocks(), 10u);
  std::mt19937_64 random(1);
  std::vector<float> weights;
  bins.Draw(&random, &weights);
  EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.F),
            10 * kBinsInABlock);
}

TEST(BinsTest, EachRequestHasTheBinOfItsTime) {
  const Side side = MadeSide({.seconds = 10});
  const Bins bins(&side, 2e9);
  size_t seen = 0;
  bins.ForEach(
      [&](size_t bin, const auto& /*run*/, const ComparedRequest& request) {
        ++seen;
        const auto from = static_cast<int64_t>(bin) * 500'000'000;
        EXPECT_GE(request.at_ns - side.runs[0].begin_ns, from);
        EXPECT_LT(request.at_ns - side.runs[0].begin_ns, from + 500'000'000);
      });
  EXPECT_EQ(seen, side.requests());
}

TEST(MemoryTest, WhatRemembersLongerIsFoundToRememberLonger) {
  const double brief =
      MemoryNs(MadeSide({.memory_s = 0.05, .own = 0, .heavy = 0}));
  const double lasting =
      MemoryNs(MadeSide({.memory_s = 0.5, .own = 0, .heavy = 0}));
  // The integral over both sides of exp(-|t| / memory) is twice the memory.
  EXPECT_GT(brief, 0.05e9);
  EXPECT_LT(brief, 0.25e9);
  EXPECT_GT(lasting, 0.5e9);
  EXPECT_LT(lasting, 2e9);
}

TEST(MemoryTest, WithoutRequestsThereIsNone) { EXPECT_EQ(MemoryNs(Side{}), 0); }

}  // namespace
}  // namespace edgewise
