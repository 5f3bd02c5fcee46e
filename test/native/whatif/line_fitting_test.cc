#include "whatif/model/line_fitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "test/native/whatif/model_kit.h"
#include "whatif/prediction/prediction.h"

// Connections that answer one question after the other.

namespace edgewise {
namespace {

constexpr int64_t kUs = 1000;
constexpr int64_t kLinkUs = 200;
constexpr uint32_t kConnection = 4;

struct Asked {
  int64_t at_us;
  int64_t work_us;
};

// At random, on average each `pause_us`.
std::vector<Asked> Questions(size_t count, double pause_us, int64_t work_us) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> pause(1 / pause_us);
  std::uniform_int_distribution<int64_t> work(work_us / 2, work_us * 3 / 2);
  std::vector<Asked> asked;
  double at_us = 0;
  for (size_t i = 0; i < count; ++i) {
    at_us += pause(random);
    // Some take no time: they tell how long the way is.
    asked.push_back(
        {static_cast<int64_t>(at_us), i % 10 == 0 ? 0 : work(random)});
  }
  return asked;
}

class LineFittingTest : public testing::Test {
 protected:
  void Add(int64_t asked_us, int64_t ready_us, uint64_t turn) {
    const auto job = static_cast<uint32_t>(jobs_.size());
    jobs_.push_back(
        After(0, static_cast<float>((ready_us - asked_us) * kUs), 0));
    lines_.Add({job, kConnection, asked_us * kUs, ready_us * kUs, turn});
  }
  // One after the other.
  void AddLine(const std::vector<Asked>& asked) {
    int64_t free_us = 0;
    uint64_t turn = 0;
    for (const auto& [at_us, work_us] : asked) {
      free_us = std::max(free_us, at_us + kLinkUs) + work_us;
      Add(at_us, free_us, ++turn);
    }
  }
  // Each by itself.
  void AddApart(const std::vector<Asked>& asked) {
    uint64_t turn = 0;
    for (const auto& [at_us, work_us] : asked) {
      Add(at_us, at_us + kLinkUs + work_us, ++turn);
    }
  }

  std::vector<Job> jobs_;
  LineFitting lines_;
};

TEST_F(LineFittingTest, WaitingForThoseBeforeIsNoWork) {
  const std::vector<Asked> asked = Questions(5000, 100, 80);
  AddLine(asked);
  lines_.Fit(&jobs_);
  for (size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(jobs_[i].line, 1u);
    const auto work_ns = static_cast<float>(asked[i].work_us * kUs);
    EXPECT_NEAR(jobs_[i].work_ns, work_ns, 0.1 * work_ns + 1);
    EXPECT_LE(jobs_[i].io_ns + jobs_[i].work_ns, kLinkUs * kUs + work_ns + 1);
  }
}

TEST_F(LineFittingTest, WhatOvertakesIsNoLine) {
  AddApart(Questions(5000, 100, 500));
  const std::vector<Job> before = jobs_;
  lines_.Fit(&jobs_);
  for (size_t i = 0; i < jobs_.size(); ++i) {
    EXPECT_EQ(jobs_[i].line, 0u);
    EXPECT_EQ(jobs_[i].io_ns, before[i].io_ns);
  }
}

TEST_F(LineFittingTest, WhereNobodyAsksMeanwhileNothingIsKnown) {
  AddLine(Questions(1000, 100'000, 80));
  lines_.Fit(&jobs_);
  EXPECT_EQ(jobs_[1].line, 0u);
}

// A constant way there and back is no queue.
TEST_F(LineFittingTest, ALongWayIsNoWork) {
  AddApart(Questions(5000, 50, 0));
  lines_.Fit(&jobs_);
  for (const Job& job : jobs_) {
    EXPECT_EQ(job.line, 0u);
    EXPECT_NEAR(job.io_ns, kLinkUs * kUs, 1);
  }
}

// Who is asked while it works need not wake up.
TEST_F(LineFittingTest, WakingUpIsNoWork) {
  int64_t free_us = 0;
  uint64_t turn = 0;
  for (const auto& [at_us, work_us] : Questions(20'000, 100, 80)) {
    const bool sleeps = free_us < at_us + kLinkUs;
    free_us = std::max(free_us, at_us + kLinkUs) + work_us +
              (sleeps && work_us > 0 ? 40 : 0);
    Add(at_us, free_us, ++turn);
  }
  lines_.Fit(&jobs_);
  double sum_ns = 0;
  for (const Job& job : jobs_) sum_ns += job.work_ns;
  EXPECT_NEAR(sum_ns / static_cast<double>(jobs_.size()), 0.9 * 80 * kUs,
              0.1 * 80 * kUs);
}

// Each takes its own time on the way, and the later ones wait only for their
// turn to be read.
TEST_F(LineFittingTest, WhatIsDelayedInOrderIsNoLine) {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> delay(1.0 / 100);
  int64_t last_us = 0;
  uint64_t turn = 0;
  for (const auto& [at_us, work_us] : Questions(5000, 40, 1)) {
    last_us = std::max(last_us,
                       at_us + kLinkUs + static_cast<int64_t>(delay(random)));
    Add(at_us, last_us, ++turn);
  }
  lines_.Fit(&jobs_);
  EXPECT_EQ(jobs_[100].line, 0u);
}

// The read that took them all tells when the last had come.
TEST_F(LineFittingTest, AnswersOfOneReadCameOneAfterTheOther) {
  AddLine(Questions(1000, 100, 80));
  const auto first = jobs_.size();
  constexpr int64_t kAtUs = 1'000'000;
  Add(kAtUs, kAtUs + 300, 9999);
  Add(kAtUs + 1, kAtUs + 500, 9999);
  Add(kAtUs + 2, kAtUs + 500, 9999);
  lines_.Fit(&jobs_);
  EXPECT_NEAR(jobs_[first].work_ns, 100 * kUs, 10 * kUs);
  EXPECT_NEAR(jobs_[first + 1].work_ns, 100 * kUs, 1);
  EXPECT_NEAR(jobs_[first + 2].work_ns, 100 * kUs, 1);
}

// The loop would be busy for a tenth of the time.
TEST(LinePredictionTest, ALineBoundsTheCapacity) {
  RouteTable routes;
  const uint32_t route = routes.Intern("GET /");
  const DependencyTable dependencies;
  std::vector<LoopModel> loops(1);
  LoopModel& loop = loops.front();
  for (int64_t i = 0; i < 2000; ++i) {
    Job asks = Only(20'000);
    asks.end_ns = -1;
    Job answered = After(0, 50'000, 10'000);
    answered.end_ns = 10'000;
    answered.line = 1;
    answered.work_ns = 400'000;
    Add(&loop, i * 1'000'000, {asks, answered});
    loop.requests.back().route = route;
    loop.requests.back().latency_ns = 480'000;
  }
  const Predictor predictor(&loops, {&routes, &dependencies}, {});
  const auto predicted = [&](double load) {
    Change change{};
    change.kind = Change::Kind::kLoad;
    change.scale = load;
    return *predictor.Predict({change}, false);
  };
  EXPECT_NEAR(predicted(2).capacity_after, 2500, 100);
  EXPECT_TRUE(predicted(2).steady());
  const Prediction busy = predicted(2.6);
  EXPECT_FALSE(busy.steady());
  EXPECT_LT(busy.utilisation_after, 0.2);
}

}  // namespace
}  // namespace edgewise
