#include "compare/sample/load.h"

#include <gtest/gtest.h>

#include "compare/sample/clients.h"

namespace edgewise {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

ComparedRequest At(int64_t at_s, float latency_s, uint32_t client = 0) {
  return {at_s * kSecondNs, latency_s * 1e9F, 1, client, {}};
}

TEST(LoadTest, RateAndWhatIsInFlight) {
  Side side;
  edgewise::Run run;
  run.begin_ns = 0;
  run.end_ns = 10 * kSecondNs;
  for (int64_t at = 0; at < 10; ++at) {
    run.requests.push_back(At(at, 1));
    run.requests.back().bytes = at < 5 ? 100 : -1;
  }
  side.runs.push_back(run);
  const Load load = LoadOf(side);
  EXPECT_NEAR(load.rate, 1, 1e-6);
  EXPECT_NEAR(load.in_flight, 1, 1e-6);
  EXPECT_NEAR(load.bytes, 100, 1e-3);
  EXPECT_NEAR(load.at_most, 1, 1e-6) << "one asks again as soon as it can";
}

TEST(LoadTest, WhatComesInABunchIsNotMostlyInFlight) {
  Side side;
  edgewise::Run run;
  run.begin_ns = 0;
  run.end_ns = 10 * kSecondNs;
  for (int i = 0; i < 10; ++i) run.requests.push_back(At(0, 0.5F));
  run.requests.push_back(At(5, 5));
  side.runs.push_back(run);
  EXPECT_NEAR(LoadOf(side).at_most, 0.05, 0.001);
}

TEST(LoadTest, NothingIsNothing) {
  const Load load = LoadOf(Side{});
  EXPECT_EQ(load.rate, 0);
  EXPECT_LT(load.bytes, 0);
}

TEST(ClientsTest, ThoseOfRunsAreDifferent) {
  Side side;
  side.runs.resize(2);
  for (auto& run : side.runs) {
    run.end_ns = 10 * kSecondNs;
    for (uint32_t client = 1; client <= 3; ++client) {
      run.requests.push_back(At(client, static_cast<float>(client), client));
    }
  }
  const Clients clients(side);
  EXPECT_EQ(clients.count(), 6u);
  EXPECT_EQ(clients.groups(), 6u);
  const std::vector<float> ones(6, 1);
  EXPECT_EQ(clients.latencies().Count(ones), 6);
}

TEST(ClientsTest, UnknownOnesAreNone) {
  Side side;
  side.runs.resize(1);
  side.runs[0].requests.push_back(At(1, 1));
  EXPECT_EQ(Clients(side).count(), 0u);
}

}  // namespace
}  // namespace edgewise
