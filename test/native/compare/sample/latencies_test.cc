#include "compare/sample/latencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace edgewise {
namespace {

constexpr double kResolution = 0.0026;

// Bin 0: 1 to 100 ms; bin 1: a hundred of 1 s.
Latencies Two() {
  Latencies latencies(2);
  for (int ms = 1; ms <= 100; ++ms) {
    latencies.Add(0, static_cast<float>(ms) * 1e6F);
    latencies.Add(1, 1e9F);
  }
  latencies.Finish();
  return latencies;
}

void ExpectNs(double found, double ns) {
  EXPECT_NEAR(found / ns, 1, kResolution) << found;
}

TEST(LatenciesTest, QuantilesOfABin) {
  const Latencies latencies = Two();
  const std::array<float, 2> first = {1, 0};
  EXPECT_EQ(latencies.Count(first), 100);
  ExpectNs(latencies.Quantile(0.5, first), 50e6);
  ExpectNs(latencies.Quantile(0.99, first), 99e6);
  ExpectNs(latencies.Quantile(1, first), 100e6);
}

TEST(LatenciesTest, ABinThatIsDrawnTwiceCountsTwice) {
  const Latencies latencies = Two();
  const std::array<float, 2> both = {2, 1};
  EXPECT_EQ(latencies.Count(both), 300);
  ExpectNs(latencies.Quantile(0.5, both), 75e6);
  ExpectNs(latencies.Quantile(0.7, both), 1e9);
}

TEST(LatenciesTest, OfNoneThereIsNoQuantile) {
  const Latencies latencies = Two();
  const std::array<float, 2> none = {0, 0};
  EXPECT_TRUE(std::isnan(latencies.Quantile(0.5, none)));
  Latencies empty(2);
  empty.Finish();
  EXPECT_TRUE(std::isnan(empty.Quantile(0.5, none)));
}

TEST(LatenciesTest, OfAMixtureTheSharesDecide) {
  Latencies quick(1);
  Latencies slow(1);
  for (int i = 0; i < 900; ++i) quick.Add(0, 1e6F);
  for (int i = 0; i < 10; ++i) slow.Add(0, 9e6F);
  quick.Finish();
  slow.Finish();
  const std::array<const Latencies*, 2> parts = {&quick, &slow};
  const std::array<float, 1> once = {1};
  ExpectNs(MixedQuantile(0.5, parts, std::vector<double>{0.6, 0.4}, once), 1e6);
  ExpectNs(MixedQuantile(0.61, parts, std::vector<double>{0.6, 0.4}, once),
           9e6);
  ExpectNs(MixedQuantile(0.5, parts, std::vector<double>{0.4, 0.6}, once), 9e6);
}

}  // namespace
}  // namespace edgewise
