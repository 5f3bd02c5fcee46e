#include "poke/watchdog.h"

#include <gtest/gtest.h>

#include "platform/clock.h"
#include "test/native/poke/service_process.h"

namespace edgewise {
namespace {

constexpr int64_t kGraceNs = 50'000'000;

TEST(WatchdogTest, TheExitCodeIsThatOfWhoPauses) {
  const absl::StatusOr<PausedProcesses> none = PausedProcesses::Open({});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(RunWatched(*none, kGraceNs, [](PauseEnd*) { return 7; }), 7);
}

TEST(WatchdogTest, TheServiceGoesOnWhenWhoPausesIsKilled) {
  const ServiceProcess service;
  const absl::StatusOr<PausedProcesses> processes =
      PausedProcesses::Open({service.pid()});
  ASSERT_TRUE(processes.ok());
  EXPECT_EQ(RunWatched(*processes, kGraceNs,
                       [&](PauseEnd*) {
                         processes->Stop();
                         if (!service.Becomes(true)) return 0;
                         kill(getpid(), SIGKILL);
                         return 0;
                       }),
            1);
  EXPECT_TRUE(service.Becomes(false));
}

TEST(WatchdogTest, TheServiceGoesOnWhenWhoPausesHangs) {
  const ServiceProcess service;
  const absl::StatusOr<PausedProcesses> processes =
      PausedProcesses::Open({service.pid()});
  ASSERT_TRUE(processes.ok());
  EXPECT_EQ(RunWatched(*processes, kGraceNs,
                       [&](PauseEnd* end) {
                         processes->Stop();
                         end->store(MonotonicNs(), std::memory_order_relaxed);
                         while (true) pause();
                         return 0;
                       }),
            1);
  EXPECT_TRUE(service.Becomes(false));
}

TEST(WatchdogTest, TheServiceGoesOnWhenTheWatchdogIsKilled) {
  const ServiceProcess service;
  const absl::StatusOr<PausedProcesses> processes =
      PausedProcesses::Open({service.pid()});
  ASSERT_TRUE(processes.ok());
  const pid_t watchdog = fork();
  if (watchdog == 0) {
    RunWatched(*processes, kGraceNs, [&](PauseEnd*) {
      sigset_t ending;
      sigemptyset(&ending);
      sigaddset(&ending, SIGTERM);
      sigprocmask(SIG_BLOCK, &ending, nullptr);
      processes->Stop();
      int number = 0;
      sigwait(&ending, &number);
      return 0;
    });
    _exit(0);
  }
  ASSERT_TRUE(service.Becomes(true));
  kill(watchdog, SIGKILL);
  waitpid(watchdog, nullptr, 0);
  EXPECT_TRUE(service.Becomes(false));
}

TEST(WatchdogTest, EndsWhoPausesByForceWhenItIsToldTo) {
  const absl::StatusOr<PausedProcesses> none = PausedProcesses::Open({});
  ASSERT_TRUE(none.ok());
  const pid_t watchdog = fork();
  if (watchdog == 0) {
    _exit(RunWatched(*none, kGraceNs, [&](PauseEnd*) {
      kill(getppid(), SIGTERM);
      while (true) pause();
      return 0;
    }));
  }
  int status = 0;
  ASSERT_EQ(waitpid(watchdog, &status, 0), watchdog);
  EXPECT_TRUE(WIFEXITED(status) || WTERMSIG(status) == SIGTERM);
}

TEST(PausedProcessesTest, NamesAProcessThatIsNotThere) {
  const absl::StatusOr<PausedProcesses> gone = PausedProcesses::Open({1 << 22});
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.status().message().find("process 4194304"), std::string::npos);
}

}  // namespace
}  // namespace edgewise
