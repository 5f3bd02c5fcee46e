#include "boost/guardian.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "boost/actuator.h"
#include "test/native/boost/guardian_kit.h"

namespace edgewise {
namespace {

using testing::HasSubstr;

constexpr int kBoostedKills = 200;
constexpr int kMostKills = 1000;

// Boosts for ever.
[[noreturn]] void Boost(const ActuatorConfig& config) {
  auto actuator = MakeActuator(config);
  if (!actuator.ok()) _exit(1);
  for (;;) {
    if (!(*actuator)->Set(Level::kHigh).ok()) _exit(1);
    SleepUs(200);
    if (!(*actuator)->Set(Level::kLow).ok()) _exit(1);
    SleepUs(50);
  }
}

TEST_F(GuardianTest, RestoresWhenTheOwnerIsKilledAtAnyInstant) {
  std::mt19937 random(5);
  // From its preparation through its measurements to what it then does.
  std::uniform_int_distribution<int64_t> instant_us(0, 35'000);
  int64_t longest_ns = 0;
  int boosted = 0;
  int kills = 0;
  for (; boosted < kBoostedKills && kills < kMostKills; ++kills) {
    const pid_t owner = fork();
    if (owner == 0) Boost(config_);
    const auto both_taken = [&] {
      return Governor(0) == "userspace" && Governor(1) == "userspace";
    };
    ASSERT_GE(WaitUntil(both_taken, 10 * kRestoredNs), 0) << "kill " << kills;
    SleepUs(instant_us(random));
    ASSERT_EQ(kill(owner, SIGKILL), 0);
    ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
    boosted +=
        sysfs_.Read(FakeSysfs::Policy(0, "scaling_setspeed")) == "4000000";
    const int64_t took_ns = WaitUntil([&] { return Restored(); }, kRestoredNs);
    ASSERT_GE(took_ns, 0) << "not restored after kill " << kills;
    longest_ns = std::max(longest_ns, took_ns);
    int status = -1;
    ASSERT_GT(waitpid(-1, &status, 0), 0) << "no guardian";
    EXPECT_EQ(status, 0);
  }
  std::printf(
      "%d kills, %d of them at the high level; restored within %.1f ms\n",
      kills, boosted, static_cast<double>(longest_ns) / 1e6);
  EXPECT_EQ(boosted, kBoostedKills);
}

TEST_F(GuardianTest, LeavesWhatSomebodyElseGovernsByNow) {
  const pid_t owner = fork();
  if (owner == 0) {
    const auto actuator = MakeActuator(config_);
    if (!actuator.ok() || !(*actuator)->Set(Level::kHigh).ok()) _exit(1);
    sysfs_.Write(FakeSysfs::Policy(0, "scaling_governor"), "performance");
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
  int status = -1;
  ASSERT_GT(waitpid(-1, &status, 0), 0) << "no guardian";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Governor(0), "performance");
  EXPECT_EQ(Governor(1), "schedutil");
}

TEST_F(GuardianTest, WritesNothingOnceReleased) {
  auto guardian = Start();
  ASSERT_TRUE(guardian.ok()) << guardian.status();
  Take(0);
  (*guardian)->Release();
  (*guardian)->Release();
  EXPECT_EQ(Governor(0), "userspace");
  EXPECT_EQ(waitpid(-1, nullptr, 0), -1) << "a zombie is left";
}

TEST_F(GuardianTest, OutlivesTheSignalsThatEndAService) {
  const pid_t owner = fork();
  if (owner == 0) {
    auto guardian = Start();
    if (!guardian.ok()) _exit(1);
    Take(0);
    for (;;) pause();
  }
  const auto taken = [&] { return Governor(0) == "userspace"; };
  ASSERT_GE(WaitUntil(taken, kRestoredNs), 0);
  std::string children;
  std::ifstream("/proc/" + std::to_string(owner) + "/task/" +
                std::to_string(owner) + "/children") >>
      children;
  ASSERT_NE(children, "");
  const pid_t guardian = std::stoi(children);
  EXPECT_EQ(getsid(guardian), guardian) << "not in a session of its own";
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    ASSERT_EQ(kill(guardian, number), 0);
  }
  SleepUs(5000);
  EXPECT_TRUE(taken());
  ASSERT_EQ(kill(owner, SIGKILL), 0);
  ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
  EXPECT_GE(WaitUntil([&] { return !taken(); }, kRestoredNs), 0);
  int status = -1;
  EXPECT_EQ(waitpid(guardian, &status, 0), guardian);
  EXPECT_EQ(status, 0);
}

// A child that was forked and runs nothing else holds the owner's socket.
TEST_F(GuardianTest, IsNotDeceivedByACopyOfItsOwner) {
  int copy_pid[2];
  ASSERT_EQ(pipe(copy_pid), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    auto guardian = Start();
    if (!guardian.ok()) _exit(1);
    const pid_t copy = fork();
    if (copy != 0 && write(copy_pid[1], &copy, sizeof(copy)) < 0) _exit(1);
    if (copy != 0) Take(0);
    for (;;) pause();
  }
  pid_t copy = 0;
  ASSERT_EQ(read(copy_pid[0], &copy, sizeof(copy)), ssize_t{sizeof(copy)});
  const auto taken = [&] { return Governor(0) == "userspace"; };
  ASSERT_GE(WaitUntil(taken, kRestoredNs), 0);
  ASSERT_EQ(kill(owner, SIGKILL), 0);
  ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
  EXPECT_GE(WaitUntil([&] { return !taken(); }, kRestoredNs), 0);
  ASSERT_EQ(kill(copy, SIGKILL), 0);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  close(copy_pid[0]);
  close(copy_pid[1]);
}

TEST_F(GuardianTest, InheritsNoDescriptorOfItsOwner) {
  // Without O_CLOEXEC: the worst that an application can have.
  const int leaky = fcntl(STDIN_FILENO, F_DUPFD, 50);
  ASSERT_GE(leaky, 50);
  const pid_t owner = fork();
  if (owner == 0) {
    auto guardian = Start();
    if (!guardian.ok()) _exit(1);
    Take(0);
    for (;;) pause();
  }
  close(leaky);
  const auto taken = [&] { return Governor(0) == "userspace"; };
  ASSERT_GE(WaitUntil(taken, kRestoredNs), 0);
  std::string guardian;
  const std::string task = std::to_string(owner);
  std::ifstream("/proc/" + task + "/task/" + task + "/children") >> guardian;
  std::vector<int> open;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + guardian + "/fd")) {
    open.push_back(std::stoi(entry.path().filename()));
  }
  // The last is the owner's process, which it watches (pidfd).
  EXPECT_THAT(
      open, testing::UnorderedElementsAre(0, 1, 2, kGuardianFd, kGuardianLockFd,
                                          kGuardianLockFd + 1));
  ASSERT_EQ(kill(owner, SIGKILL), 0);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}

TEST_F(GuardianTest, LeavesTheCgroupWhereItMay) {
  sysfs_.Write("fs/cgroup/cgroup.procs", "none");
  const auto guardian = Start();
  ASSERT_TRUE(guardian.ok()) << guardian.status();
  EXPECT_EQ(sysfs_.Read("fs/cgroup/cgroup.procs"), "0");
}

TEST_F(GuardianTest, RefusesFilesElsewhere) {
  const std::string victim = sysfs_.root() + "/victim";
  std::ofstream(victim) << "mine\n";
  const std::string link = FakeSysfs::Policy(0, "scaling_setspeed");
  sysfs_.Link(link, victim);
  for (const std::string& path :
       {victim, sysfs_.Path(link),
        sysfs_.Path("devices/system/cpu/../../../../victim")}) {
    const auto guardian = Guardian::Start(GuardianProgram(), sysfs_.root(),
                                          {{{path, "yours"}, {}}});
    ASSERT_FALSE(guardian.ok()) << path;
    EXPECT_THAT(std::string(guardian.status().message()),
                HasSubstr("is not below"));
  }
  EXPECT_EQ(waitpid(-1, nullptr, 0), -1) << "a process is left";
}

// The check before is not enough: the path may lead elsewhere since.
TEST_F(GuardianTest, DoesNotFollowAPathThatHasBeenSwapped) {
  const std::string victim = sysfs_.root() + "/victim";
  std::ofstream(victim) << "mine\n";
  const pid_t owner = fork();
  if (owner == 0) {
    auto guardian = Start();
    if (!guardian.ok()) _exit(1);
    sysfs_.Link(FakeSysfs::Policy(0, "scaling_governor"), victim);
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
  int status = 0;
  ASSERT_GT(waitpid(-1, &status, 0), 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(Governor(0), "mine");
}

TEST_F(GuardianTest, SaysWhyItCannotStart) {
  const auto missing =
      Guardian::Start(sysfs_.root() + "/absent", sysfs_.root(), Saved());
  EXPECT_TRUE(absl::IsUnavailable(missing.status())) << missing.status();
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("/absent"));
  const auto other = Guardian::Start("/bin/true", sysfs_.root(), Saved());
  EXPECT_TRUE(absl::IsUnavailable(other.status())) << other.status();
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("guardian"));
  EXPECT_EQ(waitpid(-1, nullptr, 0), -1) << "a process is left";
}

}  // namespace
}  // namespace edgewise
