#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "boost/policy/duration_history.h"
#include "boost/policy/in_flight.h"
#include "boost/policy/latency_quantile.h"
#include "boost/policy/log_buckets.h"
#include "boost/policy/ready_queue.h"
#include "boost/policy/tail_table.h"
#include "boost/policy/work_clock.h"
#include "test/native/boost/policy_kit.h"

namespace edgewise {
namespace {

TEST(LogBuckets, EveryDurationLiesInItsBucket) {
  using Buckets = LogBuckets<16>;
  for (int64_t ns = 0; ns < (int64_t{1} << 37); ns += 1 + ns / 50) {
    const size_t index = Buckets::IndexOf(ns);
    ASSERT_LT(index, Buckets::kCount);
    EXPECT_LE(Buckets::LowerNs(index), ns);
    if (index + 1 < Buckets::kCount) EXPECT_GT(Buckets::LowerNs(index + 1), ns);
  }
}

TEST(DurationHistory, ExpectsTheMeanAndThenWhatIsLeft) {
  DurationHistory history;
  for (int i = 0; i < 1'000; ++i) {
    history.Add(i % 10 == 0 ? 10 * kMs : 100 * kUs);
  }
  EXPECT_NEAR(history.mean_ns(), 1.09e6, 0.05e6);
  // What has run for 1 ms is one of the long ones.
  EXPECT_NEAR(static_cast<double>(history.ExpectedTotalNs(kMs)), 10e6, 0.1e6);
  // Never seen: as long again.
  EXPECT_GT(history.ExpectedTotalNs(50 * kMs), 90 * kMs);
  int64_t last_ns = 0;
  for (int64_t ns = 0; ns < 100 * kMs; ns += 10 * kUs) {
    ASSERT_GT(history.ExpectedTotalNs(ns), ns);
    ASSERT_GE(history.ExpectedTotalNs(ns), last_ns) << ns;
    last_ns = history.ExpectedTotalNs(ns);
  }
}

TEST(DurationHistory, TellsWhenMoreWillBeExpected) {
  DurationHistory history;
  for (int i = 0; i < 900; ++i) history.Add(100 * kUs);
  for (int i = 0; i < 100; ++i) history.Add(10 * kMs);
  const int64_t when_ns = history.ElapsedWhenExpected(0, 2 * kMs);
  EXPECT_GT(when_ns, 0);
  EXPECT_LT(when_ns, 200 * kUs);
  EXPECT_GT(history.ExpectedTotalNs(when_ns), 2 * kMs);
  EXPECT_LE(history.ExpectedTotalNs(when_ns - 1), 2 * kMs);
  // Nothing of the kind was seen: when half of it has gone by.
  const int64_t unseen_ns = history.ElapsedWhenExpected(kMs, 300 * kMs);
  EXPECT_GT(unseen_ns, 150 * kMs);
  EXPECT_LE(unseen_ns, 300 * kMs);
  EXPECT_GT(history.ExpectedTotalNs(unseen_ns), 300 * kMs);
}

TEST(DurationHistory, Forgets) {
  DurationHistory history;
  for (int i = 0; i < 10'000; ++i) history.Add(10 * kMs);
  for (int i = 0; i < 40'000; ++i) history.Add(kMs);
  EXPECT_NEAR(history.mean_ns(), 1e6, 0.02e6);
}

TEST(LatencyQuantile, FollowsThePercentile) {
  LatencyQuantile quantile(99);
  EXPECT_EQ(quantile.value_ns(), 0);
  std::mt19937 random(1);
  std::exponential_distribution<double> latency(1 / 5e6);
  for (int i = 0; i < 50'000; ++i) {
    quantile.Add(static_cast<int64_t>(latency(random)));
  }
  const double truth_ns = 5e6 * std::log(100);
  EXPECT_NEAR(static_cast<double>(quantile.value_ns()), truth_ns,
              truth_ns * 0.05);
}

TEST(LatencyQuantile, KnowsNothingBeforeTwoLieAbove) {
  LatencyQuantile quantile(99);
  for (int i = 0; i < 190; ++i) quantile.Add(kMs);
  EXPECT_EQ(quantile.value_ns(), 0);
  for (int i = 0; i < 100; ++i) quantile.Add(kMs);
  EXPECT_NEAR(static_cast<double>(quantile.value_ns()), 1e6, 0.07e6);
}

TEST(InFlight, KeepsOrderAndNumbers) {
  auto table = std::make_unique<InFlight>();
  EXPECT_EQ(table->Oldest(), nullptr);
  EXPECT_EQ(table->Add(0), nullptr);
  for (const uint32_t request : {7U, 3U, 9U}) {
    ASSERT_NE(table->Add(request), nullptr);
  }
  EXPECT_EQ(table->Add(3), nullptr);  // is in flight
  EXPECT_EQ(table->Find(4), nullptr);
  EXPECT_EQ(table->Find(0), nullptr);
  table->Remove(table->Find(3));
  EXPECT_EQ(table->Find(3), nullptr);
  ASSERT_EQ(table->Oldest()->request, 7U);
  EXPECT_EQ(table->Newer(table->Oldest())->request, 9U);
  table->Unlist(table->Find(7));
  EXPECT_EQ(table->Oldest()->request, 9U);
  EXPECT_EQ(table->Newer(table->Oldest()), nullptr);
  ASSERT_NE(table->Find(7), nullptr);
  table->Remove(table->Find(7));
  EXPECT_EQ(table->size(), 1U);
}

TEST(InFlight, IgnoresWhatIsTooMuch) {
  auto table = std::make_unique<InFlight>();
  for (uint32_t i = 1; i <= InFlight::kCapacity; ++i) {
    ASSERT_NE(table->Add(i), nullptr);
  }
  EXPECT_EQ(table->Add(99'999), nullptr);
  EXPECT_EQ(table->ignored(), 1U);
  EXPECT_EQ(table->Find(99'999), nullptr);
  table->Remove(table->Find(17));
  EXPECT_NE(table->Add(99'999), nullptr);
}

TEST(InFlight, HasRoomForAllOnceItIsCleared) {
  auto table = std::make_unique<InFlight>();
  for (uint32_t i = 1; i <= 100; ++i) ASSERT_NE(table->Add(i), nullptr);
  table->Unlist(table->Find(50));
  table->Clear();
  EXPECT_EQ(table->size(), 0U);
  EXPECT_EQ(table->Oldest(), nullptr);
  EXPECT_EQ(table->Find(3), nullptr);
  for (uint32_t i = InFlight::kCapacity; i > 0; --i) {
    ASSERT_NE(table->Add(i), nullptr);
  }
  EXPECT_EQ(table->Oldest()->request, InFlight::kCapacity);
}

TEST(InFlight, AgreesWithAMapUnderChange) {
  auto table = std::make_unique<InFlight>();
  std::unordered_map<uint32_t, uint32_t> truth;
  std::mt19937 random(7);
  std::uniform_int_distribution<uint32_t> number(1, 8'000);
  for (uint32_t step = 0; step < 100'000; ++step) {
    const uint32_t request = number(random) * 8'192;  // buckets collide
    InFlightRequest* entry = table->Find(request);
    ASSERT_EQ(entry != nullptr, truth.contains(request));
    if (entry != nullptr) {
      ASSERT_EQ(entry->route, truth[request]);
      table->Remove(entry);
      truth.erase(request);
    } else if ((entry = table->Add(request)) != nullptr) {
      entry->route = step;
      truth[request] = step;
    }
    ASSERT_EQ(table->size(), truth.size());
  }
  size_t listed = 0;
  uint32_t last = 0;
  for (auto* entry = table->Oldest(); entry != nullptr;
       entry = table->Newer(entry)) {
    ++listed;
    EXPECT_GE(entry->route, last);
    last = entry->route;
  }
  EXPECT_EQ(listed, truth.size());
}

TEST(WorkClock, CountsWorkAtTheLevelThatHolds) {
  WorkClock clock({2'000'000, 3'000'000, 4'000'000}, 100);
  clock.Advance(1'000, false);
  EXPECT_EQ(clock.work_ns(), 0);
  clock.Advance(2'000, true);
  EXPECT_EQ(clock.work_ns(), 1'000);
  clock.Ask(Level::kHigh);
  clock.Advance(3'000, true);  // 100 ns at low, 900 at twice the speed
  EXPECT_EQ(clock.work_ns(), 1'000 + 100 + 1'800);
  EXPECT_EQ(clock.lag_ns(), 900);
  clock.Ask(Level::kLow);
  clock.Advance(3'500, false);  // the slower one catches up
  EXPECT_EQ(clock.lag_ns(), 400);
  clock.Advance(9'000, false);
  EXPECT_EQ(clock.lag_ns(), 0);
}

TEST(WorkClock, TakesTimeForWorkWhenFrequenciesAreUnknown) {
  WorkClock clock({2'000'000, 0, 4'000'000}, 0);
  clock.Ask(Level::kHigh);
  clock.Advance(1'000, true);
  EXPECT_EQ(clock.work_ns(), 1'000);
  EXPECT_EQ(clock.lag_ns(), 0);
}

TEST(ReadyQueue, KnowsSinceWhenEventsAreReady) {
  ReadyQueue queue;
  queue.Batch(4, 100 * kMs, 100 * kMs);  // they woke the loop
  EXPECT_EQ(queue.oldest_ns(), 100 * kMs);
  queue.Begin();
  EXPECT_EQ(queue.count(), 3);
  queue.Clear();
  queue.Batch(3, 0, 108 * kMs);  // came while the last batch ran
  EXPECT_EQ(queue.oldest_ns(), 100 * kMs);
  EXPECT_EQ(queue.newest_ns(), 108 * kMs);
  const auto arrival = [&queue](int64_t known_ns) {
    return queue.ArrivalOf({.kind = SignalKind::kRequestBegin,
                            .now_ns = 109 * kMs,
                            .arrival_ns = known_ns});
  };
  for (const int64_t came_ns : {102 * kMs, 104 * kMs, 106 * kMs}) {
    queue.Begin();
    EXPECT_EQ(queue.oldest_ns(), came_ns);
    EXPECT_EQ(arrival(0), came_ns);
    EXPECT_EQ(arrival(105 * kMs), 105 * kMs);
  }
  queue.Look(9, 110 * kMs);
  EXPECT_EQ(queue.count(), 9);
  EXPECT_EQ(queue.newest_ns(), 110 * kMs);
}

// The sum of Gaussians is known, so that the table's convolutions, and beyond
// them its approximation, can be checked.
TEST(TailTable, KnowsTheTailOfSums) {
  TailTable table(95);
  std::mt19937 random(3);
  std::normal_distribution<double> work(10e6, 2e6);
  EXPECT_FALSE(table.ready());
  for (int i = 0; i < 5'000; ++i) {
    table.Add(static_cast<int64_t>(std::max(work(random), 0.0)));
    table.Step();
  }
  ASSERT_TRUE(table.ready());
  for (const size_t place : {0U, 1U, 4U, 7U, 8U, 40U}) {
    const double requests = static_cast<double>(place) + 1;
    const double truth_ns = requests * 10e6 + 1.645 * std::sqrt(requests) * 2e6;
    EXPECT_NEAR(static_cast<double>(table.TailNs(place, 0)), truth_ns,
                truth_ns * 0.06 + 0.3e6)
        << place;
  }
  // What has run for long has less before it.
  EXPECT_LT(table.TailNs(0, 10 * kMs), table.TailNs(0, 0) - 5 * kMs);
}

TEST(TailTable, WorkOfLessThanNothingIsNone) {
  std::array<TailTable, 2> tables = {TailTable(95), TailTable(95)};
  for (int i = 0; i < 5'000; ++i) {
    tables[0].Add(0);
    tables[1].Add(-(int64_t{1} << (i % 60)));
    for (TailTable& table : tables) table.Step();
  }
  ASSERT_TRUE(tables[1].ready());
  EXPECT_EQ(tables[1].TailNs(0, 0), tables[0].TailNs(0, 0));
}

}  // namespace
}  // namespace edgewise
