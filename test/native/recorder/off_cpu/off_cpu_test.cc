#include "recorder/off_cpu/off_cpu.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "test/native/platform/sleep_ms.h"
#include "test/native/platform/taken_cpu.h"

namespace edgewise {
namespace {

// An event that began with what the last call has seen.
constexpr uint64_t kSinceLast = 0;

// Programs of known truth: what each does, and for how long it does not run.
// By sums: where the kernel tells no switches.
class OffCpuTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    TickNs(1);  // The first call measures the clock, and sleeps for that.
    const bool by_sums = GetParam() == std::string("Sums");
    auto off_cpu =
        by_sums ? OffCpu::StartWithSums(absl::PermissionDeniedError("refused"))
                : OffCpu::Start();
    if (!off_cpu.ok()) GTEST_SKIP() << off_cpu.status();
    off_cpu_ = *std::move(off_cpu);
  }
  static void SpinMs(int64_t ms) {
    const int64_t until_ns = ThreadCpuNs() + ms * 1'000'000;
    while (ThreadCpuNs() < until_ns) {
    }
  }
  // What the kernel's clocks say of it, ns. Whoever is displaced between two
  // looks finds it before the first or after the second: hence the limits.
  struct Known {
    int64_t least;
    int64_t most;
  };
  // For how long this thread has not run, but for a constant.
  static Known NotRun() {
    const int64_t before_ns = MonotonicNs();
    const int64_t cpu_ns = ThreadCpuNs();
    return {before_ns - cpu_ns, MonotonicNs() - cpu_ns};
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

TEST_P(OffCpuTest, ASleepIsBlocked) {
  const uint64_t begin = Ticks();
  off_cpu_->Take(kSinceLast, Ticks());
  SleepMs(20);
  const uint64_t end = Ticks();
  ASSERT_TRUE(off_cpu_->moved());
  const auto stretches = off_cpu_->Take(begin, Ticks());
  const double blocked = Ms(stretches, OffCpuKind::kBlocked);
  EXPECT_GT(blocked, 19);
  const uint64_t taken = Ticks();
  EXPECT_LE(blocked, static_cast<double>(TickNs(taken - begin)) / 1e6);
  for (const auto& stretch : stretches) {
    EXPECT_GE(stretch.begin, begin);
    EXPECT_LE(stretch.end, taken);
  }
  for (const auto& stretch : off_cpu_->Take(kSinceLast, Ticks())) {
    EXPECT_GE(stretch.begin, end) << "what is told once";
  }
}

TEST_P(OffCpuTest, ARivalsTimeIsPreempted) {
  std::vector<int> cpus = TwoCpus();
  ASSERT_FALSE(cpus.empty());
  UseCpus({cpus[0]});
  {
    const TakenCpu rival(cpus[0]);
    SleepMs(5);
    const Known before = NotRun();
    off_cpu_->Take(kSinceLast, Ticks());
    const Known began = NotRun();
    SpinMs(50);
    const Known ended = NotRun();
    const auto stretches = off_cpu_->Take(kSinceLast, Ticks());
    const Known after = NotRun();
    const double least = static_cast<double>(ended.least - began.most) / 1e6;
    const double most = static_cast<double>(after.most - before.least) / 1e6;
    EXPECT_GT(least, 10);
    const double preempted = Ms(stretches, OffCpuKind::kPreempted);
    EXPECT_GT(preempted, 0.98 * least - 0.5);
    EXPECT_LT(preempted, 1.02 * most + 0.5);
    EXPECT_LT(Ms(stretches, OffCpuKind::kBlocked), 1);
  }
  UseCpus(cpus);
}

TEST_P(OffCpuTest, TheLoopsOwnWaitIsNone) {
  off_cpu_->TakeWait(Ticks(), Ticks());
  const uint64_t began = Ticks();
  SleepMs(20);
  const uint64_t woken = Ticks();
  const OffCpu::Wait wait = off_cpu_->TakeWait(began, woken);
  EXPECT_TRUE(wait.slept);
  EXPECT_EQ(Ms(wait.stretches, OffCpuKind::kBlocked), 0);
  EXPECT_GT(TickNs(wait.woken - began), 19'000'000);
  EXPECT_LE(wait.woken, woken);
  EXPECT_FALSE(off_cpu_->TakeWait(woken, woken).slept);
}

// What came while it slept could have run since, whatever the kernel counts.
TEST_P(OffCpuTest, WhatCameLongBeforeItWokeIsPreempted) {
  off_cpu_->TakeWait(Ticks(), Ticks());
  const uint64_t began = Ticks();
  SleepMs(20);
  const OffCpu::Wait wait = off_cpu_->TakeWait(began, Ticks());
  const uint64_t early = began + NsToTicks(5e6);
  EXPECT_FALSE(off_cpu_->IsLate(began - NsToTicks(1e6), 0))
      << "before it slept";
  EXPECT_FALSE(off_cpu_->IsLate(wait.woken - NsToTicks(1e3), 0));
  EXPECT_FALSE(off_cpu_->IsLate(early, 1));
  ASSERT_TRUE(off_cpu_->IsLate(early, 0));
  off_cpu_->NoWait();
  EXPECT_FALSE(off_cpu_->IsLate(early, 0)) << "a wait without a sleep since";
  ASSERT_TRUE(off_cpu_->IsLate(early, 1));
  const auto told = off_cpu_->TakeLate(early);
  ASSERT_EQ(told.size(), 1);
  EXPECT_NEAR(static_cast<double>(TickNs(told[0].end - told[0].begin)),
              static_cast<double>(TickNs(wait.woken - early)), 1e3);
  EXPECT_EQ(told[0].kind, OffCpuKind::kPreempted);
  EXPECT_FALSE(off_cpu_->IsLate(early, 1)) << "once";
}

// It was woken, and another had its processor.
TEST_P(OffCpuTest, ALateWakeUpIsPreempted) {
  std::vector<int> cpus = TwoCpus();
  ASSERT_FALSE(cpus.empty());
  UseCpus({cpus[0]});
  {
    const TakenCpu rivals[] = {TakenCpu(cpus[0]), TakenCpu(cpus[0]),
                               TakenCpu(cpus[0])};
    const RunDelay delay;
    double least = 0;
    double most = 0;
    double told = 0;
    for (int i = 0; i < 20; ++i) {
      // So that it is not favoured.
      SpinMs(3);
      const int64_t before_ns = delay.Ns();
      off_cpu_->Take(kSinceLast, Ticks());
      const int64_t began_ns = delay.Ns();
      const uint64_t slept = Ticks();
      SleepMs(2);
      const int64_t ended_ns = delay.Ns();
      const OffCpu::Wait wait = off_cpu_->TakeWait(slept, Ticks());
      EXPECT_TRUE(wait.slept);
      told += Ms(wait.stretches, OffCpuKind::kPreempted);
      least += static_cast<double>(ended_ns - began_ns) / 1e6;
      most += static_cast<double>(delay.Ns() - before_ns) / 1e6;
    }
    EXPECT_GT(told, 0.95 * least - 2);
    EXPECT_LT(told, 1.05 * most + 2);
  }
  UseCpus(cpus);
}

// A page is read from a disk.
TEST_P(OffCpuTest, AMajorFaultIsNoOtherSleep) {
  constexpr size_t kBytes = 8 << 20;
  const std::string path =
      ::testing::TempDir() + "/off_cpu_test." + std::to_string(getpid());
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_GE(fd, 0);
  unlink(path.c_str());
  const std::string text(kBytes, 'x');
  ASSERT_EQ(write(fd, text.data(), kBytes), static_cast<ssize_t>(kBytes));
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  void* const memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, fd, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kBytes, MADV_RANDOM);
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_majflt;
  };
  off_cpu_->Take(kSinceLast, Ticks());
  const auto before = faults();
  const volatile char* const page = static_cast<char*>(memory);
  for (size_t at = 0; at < kBytes; at += 1 << 20) {
    EXPECT_EQ(page[at], 'x');
  }
  const auto count = faults() - before;
  const auto stretches = off_cpu_->Take(kSinceLast, Ticks());
  munmap(memory, kBytes);
  close(fd);
  if (count == 0) GTEST_SKIP() << "the file was not read from a disk";
  // It need not sleep for a page that comes while another has its processor.
  EXPECT_GE(Ms(stretches, OffCpuKind::kFault),
            Ms(stretches, OffCpuKind::kBlocked));
}

// A child that stops this thread at each of its system calls, as strace does.
class Tracer {
 public:
  Tracer() {
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (memory) Shared();
    const pid_t traced = gettid();
    child_ = fork();
    if (child_ == 0) Trace(traced);
    prctl(PR_SET_PTRACER, child_, 0, 0, 0);
    shared_->go = true;
    while (shared_->state == kStarting) usleep(100);
  }
  ~Tracer() {
    shared_->done = true;
    getppid();  // The call at which it looks.
    waitpid(child_, nullptr, 0);
    munmap(shared_, sizeof(Shared));
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  bool traces() const { return shared_->state == kTracing; }
  int stops() const { return shared_->stops; }

 private:
  static constexpr int kMostStops = 2000;
  static constexpr int kStarting = 0;
  static constexpr int kTracing = 1;
  static constexpr int kRefused = 2;
  struct Shared {
    std::atomic<bool> go{false};
    std::atomic<int> state{kStarting};
    std::atomic<bool> done{false};
    std::atomic<int> stops{0};
  };

  [[noreturn]] void Trace(pid_t traced) {
    while (!shared_->go) usleep(100);
    const bool seized = ptrace(PTRACE_SEIZE, traced, 0, 0) == 0 &&
                        ptrace(PTRACE_INTERRUPT, traced, 0, 0) == 0;
    if (!seized) shared_->state = kRefused;
    while (seized && waitpid(traced, nullptr, __WALL) > 0) {
      shared_->state = kTracing;
      ++shared_->stops;
      if (shared_->done || shared_->stops > kMostStops) break;
      ptrace(PTRACE_SYSCALL, traced, 0, 0);
    }
    ptrace(PTRACE_DETACH, traced, 0, 0);
    _exit(0);
  }

  Shared* shared_;
  pid_t child_;
};

TEST(OffCpuTracedTest, WhoIsTracedPausesAtEachCall) {
  auto off_cpu = OffCpu::Start();
  if (!off_cpu.ok()) GTEST_SKIP() << off_cpu.status();
  const Tracer tracer;
  if (!tracer.traces()) GTEST_SKIP() << "no process may trace another here";
  (*off_cpu)->Take(kSinceLast, Ticks());
  const int before = tracer.stops();
  (*off_cpu)->Take(kSinceLast, Ticks());
  EXPECT_GT(tracer.stops(), before);
  EXPECT_LT(tracer.stops(), before + 50);
}

INSTANTIATE_TEST_SUITE_P(By, OffCpuTest, ::testing::Values("Switches", "Sums"),
                         [](const auto& info) { return info.param; });

// The sleeps between two looks are the loop's own.
TEST(OffCpuSumsTest, WaitsThatAreNotLookedAtAreNone) {
  auto off_cpu = OffCpu::StartWithSums(absl::PermissionDeniedError("refused"));
  if (!off_cpu.ok()) GTEST_SKIP() << off_cpu.status();
  EXPECT_EQ((*off_cpu)->switches().message(), "refused");
  int64_t blocked_ns = 0;
  for (int i = 0; i < 1000; ++i) {
    for (const auto& stretch : (*off_cpu)->Take(kSinceLast, Ticks())) {
      if (stretch.kind == OffCpuKind::kBlocked) {
        blocked_ns += TickNs(stretch.end - stretch.begin);
      }
    }
    const uint64_t began = Ticks();
    usleep(20);
    (*off_cpu)->TakeWait(began, Ticks());
  }
  EXPECT_LT(blocked_ns, 5'000'000) << "of 70 ms or more";
}

}  // namespace
}  // namespace edgewise
