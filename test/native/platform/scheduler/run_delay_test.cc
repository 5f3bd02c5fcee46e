#include "platform/scheduler/run_delay.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "platform/clock.h"
#include "platform/thread.h"
#include "test/native/platform/taken_cpu.h"

namespace edgewise {
namespace {

TEST(RunDelayTest, IsTheTimeThatAnotherThreadHadTheProcessor) {
  const std::vector<int> cpus = TwoCpus();
  ASSERT_FALSE(cpus.empty());
  std::thread([&] {
    UseCpus({cpus[0]});
    const RunDelay delay;
    if (delay.Ns() < 0) GTEST_SKIP() << "the kernel does not say";
    const TakenCpu other(cpus[0]);
    const int64_t before_ns = delay.Ns();
    const int64_t began_ns = MonotonicNs();
    const int64_t began_cpu_ns = ThreadCpuNs();
    while (ThreadCpuNs() - began_cpu_ns < 50'000'000) {
    }
    const int64_t waited_ns = delay.Ns() - before_ns;
    const int64_t not_run_ns =
        MonotonicNs() - began_ns - (ThreadCpuNs() - began_cpu_ns);
    EXPECT_GT(waited_ns, 10'000'000);
    // The last wait is told when it is over; what the clocks take is not known.
    EXPECT_NEAR(static_cast<double>(waited_ns), static_cast<double>(not_run_ns),
                0.1 * static_cast<double>(not_run_ns) + 2e6);
  }).join();
}

}  // namespace
}  // namespace edgewise
