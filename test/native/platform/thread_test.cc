#include "platform/thread.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <utility>

#include "test/native/platform/exit_of_child.h"

namespace edgewise {
namespace {

TEST(HelperThreadTest, RunsAndTakesNoSignal) {
  sigset_t mask;
  auto thread = HelperThread::Start(
      "edgewise-test", [&] { pthread_sigmask(SIG_BLOCK, nullptr, &mask); });
  ASSERT_TRUE(thread.ok()) << thread.status();
  HelperThread moved = *std::move(thread);
  EXPECT_TRUE(moved.joinable());
  moved.join();
  EXPECT_FALSE(moved.joinable());
  EXPECT_EQ(sigismember(&mask, SIGTERM), 1);
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
}

TEST(HelperThreadTest, NoThreadIsAStatus) {
  const int status = ExitOfChild([] {
    const rlimit none{0, 0};
    // The limit does not bind root.
    if (geteuid() == 0 && setuid(65534) != 0) return 77;
    if (setrlimit(RLIMIT_NPROC, &none) != 0) return 77;
    const auto thread = HelperThread::Start("edgewise-test", [] {});
    if (thread.ok()) return 1;
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    return sigismember(&mask, SIGTERM) == 0 ? 0 : 2;
  });
  if (status == 77) GTEST_SKIP() << "no limit can be set here";
  EXPECT_EQ(status, 0);
}

TEST(CpuClockTest, AnotherThreadsIsItsOwn) {
  const CpuClock here(pthread_self());
  const int64_t before_ns = ThreadCpuNs();
  const int64_t from_here_ns = here.Ns();
  int64_t from_there_ns = 0;
  auto thread =
      HelperThread::Start("edgewise-test", [&] { from_there_ns = here.Ns(); });
  ASSERT_TRUE(thread.ok()) << thread.status();
  thread->join();
  const int64_t after_ns = ThreadCpuNs();
  EXPECT_LE(before_ns, from_here_ns);
  EXPECT_LE(from_here_ns, from_there_ns);
  EXPECT_LE(from_there_ns, after_ns);
}

TEST(HasOneCpuTest, AsTheAffinitySays) {
  auto thread = HelperThread::Start("edgewise-test", [] {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    EXPECT_EQ(HasOneCpu(), CPU_COUNT(&allowed) == 1);
    CPU_ZERO(&allowed);
    CPU_SET(sched_getcpu(), &allowed);
    ASSERT_EQ(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
    EXPECT_TRUE(HasOneCpu());
  });
  ASSERT_TRUE(thread.ok()) << thread.status();
  thread->join();
}

// A processor that somebody took from this thread is not given back.
TEST(LeaveCpuTest, KeepsToTheThreadsAffinity) {
  auto thread = HelperThread::Start("edgewise-test", [] {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    const int cpu = sched_getcpu();
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    ASSERT_EQ(sched_setaffinity(0, sizeof(only), &only), 0);
    cpu_set_t after;
    LeaveCpu(cpu);
    ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&after, &only)) << "there is no other";
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
    LeaveCpu(cpu);
    ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
    if (CPU_COUNT(&before) == 1) return;
    CPU_SET(cpu, &after);
    EXPECT_TRUE(CPU_EQUAL(&after, &before));
    EXPECT_EQ(CPU_COUNT(&before), CPU_COUNT(&after));
  });
  ASSERT_TRUE(thread.ok()) << thread.status();
  thread->join();
}

}  // namespace
}  // namespace edgewise
