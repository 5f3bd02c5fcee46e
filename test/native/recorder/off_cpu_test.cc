#include "recorder/off_cpu.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "platform/clock.h"
#include "platform/thread.h"
#include "test/native/platform/sleep_ms.h"
#include "test/native/platform/taken_cpu.h"

namespace edgewise {
namespace {

// Programs of known truth: what each does, and for how long it does not run.
class OffCpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto off_cpu = OffCpu::Start();
    if (!off_cpu.ok()) GTEST_SKIP() << off_cpu.status();
    off_cpu_ = *std::move(off_cpu);
  }
  static void SpinMs(int64_t ms) {
    const int64_t until_ns = ThreadCpuNs() + ms * 1'000'000;
    while (ThreadCpuNs() < until_ns) {
    }
  }
  static double Ms(const std::span<const OffCpu::Stretch>& stretches,
                   OffCpuKind kind) {
    double ns = 0;
    for (const auto& [begin, end, why] : stretches) {
      if (why == kind) ns += static_cast<double>(TickNs(end - begin));
    }
    return ns / 1e6;
  }

  std::unique_ptr<OffCpu> off_cpu_;
};

TEST_F(OffCpuTest, ASleepIsBlocked) {
  off_cpu_->Take();
  const uint64_t begin = Ticks();
  SleepMs(20);
  const uint64_t end = Ticks();
  ASSERT_TRUE(off_cpu_->moved());
  const auto stretches = off_cpu_->Take();
  const double blocked = Ms(stretches, OffCpuKind::kBlocked);
  EXPECT_GT(blocked, 19);
  EXPECT_LT(blocked, 20.2 + 5);  // The timer may be late.
  for (const auto& stretch : stretches) {
    EXPECT_GE(stretch.begin, begin);
    EXPECT_LE(stretch.end, end);
  }
  for (const auto& stretch : off_cpu_->Take()) {
    EXPECT_GE(stretch.begin, end) << "what is told once";
  }
}

TEST_F(OffCpuTest, ARivalsTimeIsPreempted) {
  std::vector<int> cpus = TwoCpus();
  ASSERT_FALSE(cpus.empty());
  UseCpus({cpus[0]});
  {
    const TakenCpu rival(cpus[0]);
    SleepMs(5);
    off_cpu_->Take();
    const int64_t began_ns = MonotonicNs();
    const int64_t began_cpu_ns = ThreadCpuNs();
    SpinMs(50);
    const double not_run = static_cast<double>(MonotonicNs() - began_ns -
                                               (ThreadCpuNs() - began_cpu_ns)) /
                           1e6;
    const auto stretches = off_cpu_->Take();
    EXPECT_GT(not_run, 10);
    EXPECT_NEAR(Ms(stretches, OffCpuKind::kPreempted), not_run,
                0.02 * not_run + 0.5);
    EXPECT_LT(Ms(stretches, OffCpuKind::kBlocked), 1);
  }
  UseCpus(cpus);
}

TEST_F(OffCpuTest, TheLoopsOwnWaitIsNone) {
  off_cpu_->TakeWait();
  SleepMs(20);
  const uint64_t woken = Ticks();
  const OffCpu::Wait wait = off_cpu_->TakeWait();
  EXPECT_TRUE(wait.slept);
  EXPECT_EQ(Ms(wait.stretches, OffCpuKind::kBlocked), 0);
  EXPECT_LE(wait.woken, woken);
  EXPECT_LT(TickNs(woken - wait.woken), 5'000'000);
  EXPECT_FALSE(off_cpu_->TakeWait().slept);
}

// It was woken, and another had its processor.
TEST_F(OffCpuTest, ALateWakeUpIsPreempted) {
  std::vector<int> cpus = TwoCpus();
  ASSERT_FALSE(cpus.empty());
  UseCpus({cpus[0]});
  {
    const TakenCpu rivals[] = {TakenCpu(cpus[0]), TakenCpu(cpus[0]),
                               TakenCpu(cpus[0])};
    double known = 0;
    double told = 0;
    for (int i = 0; i < 20; ++i) {
      // So that it is not favoured.
      SpinMs(3);
      off_cpu_->Take();
      const RunDelay delay;
      const int64_t before_ns = delay.Ns();
      SleepMs(2);
      known += static_cast<double>(delay.Ns() - before_ns) / 1e6;
      const OffCpu::Wait wait = off_cpu_->TakeWait();
      EXPECT_TRUE(wait.slept);
      told += Ms(wait.stretches, OffCpuKind::kPreempted);
    }
    EXPECT_NEAR(told, known, 0.05 * known + 2);
  }
  UseCpus(cpus);
}

}  // namespace
}  // namespace edgewise
