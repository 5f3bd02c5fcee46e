// The client's actuator against a daemon that lives, dies or is killed.

#include "boost/actuator/daemon_actuator.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>

#include "boost/daemon/boostd_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/native/boost/child_process.h"
#include "test/native/boost/daemon_kit.h"

namespace edgewise {
namespace {

using ::testing::HasSubstr;

// Far more than a call takes, far less than anything that waits.
constexpr int64_t kNotBlockedNs = 50'000'000;

// A daemon in a process of its own.
class DaemonProcess : public ChildProcess {
 public:
  explicit DaemonProcess(const DaemonDirectory& directory)
      : ChildProcess([&] {
          ServeDaemon(
              directory, {},
              std::make_unique<RecordingActuator>(std::make_shared<Asked>()),
              eventfd(0, EFD_CLOEXEC));
        }) {
    EXPECT_TRUE(Eventually(
        [&] { return RunningDaemon::ClientOf(directory.socket()).ok(); }));
  }
};

TEST(DaemonActuatorTest, LevelsReachTheHardwareAndAreRestored) {
  RunningDaemon daemon;
  auto client = daemon.Client();
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ((*client)->name(), "daemon");
  EXPECT_THAT((*client)->description(), HasSubstr("a test's actuator"));
  EXPECT_EQ((*client)->frequencies()[0], 2'600'000u);
  EXPECT_GT((*client)->call_ns(), 0);
  // The daemon's 1 us and 20 us are part of it.
  EXPECT_GE((*client)->transition_ns(), 21'000);
  for (const Level level : {Level::kMid, Level::kHigh, Level::kLow}) {
    EXPECT_TRUE((*client)->Set(level).ok());
    EXPECT_TRUE(Eventually([&] { return daemon.asked().last() == level; }));
  }
  EXPECT_TRUE((*client)->Set(Level::kHigh).ok());
  EXPECT_TRUE(
      Eventually([&] { return daemon.asked().last() == Level::kHigh; }));
  (*client)->Restore();
  EXPECT_TRUE(Eventually([&] { return daemon.asked().last() == Level::kLow; }));
  EXPECT_TRUE((*client)->Set(Level::kHigh).ok());  // without effect
  EXPECT_EQ(daemon.asked().levels().size(), 5u);
}

TEST(DaemonActuatorTest, TheLevelThatHoldsIsNotAskedForAgain) {
  RunningDaemon daemon;
  const auto client = daemon.Client();
  ASSERT_TRUE(client.ok()) << client.status();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE((*client)->Set(Level::kLow).ok());
  EXPECT_TRUE((*client)->Set(Level::kHigh).ok());
  EXPECT_TRUE(
      Eventually([&] { return daemon.asked().last() == Level::kHigh; }));
  EXPECT_EQ(daemon.asked().levels().size(), 1u);
}

TEST(DaemonActuatorTest, TheHighestOfSeveralClientsHolds) {
  RunningDaemon daemon;
  auto one = daemon.Client();
  auto other = daemon.Client();
  ASSERT_TRUE(one.ok() && other.ok());
  const auto becomes = [&](Level level) {
    return Eventually([&] { return daemon.asked().last() == level; });
  };
  EXPECT_TRUE((*one)->Set(Level::kMid).ok());
  EXPECT_TRUE(becomes(Level::kMid));
  EXPECT_TRUE((*other)->Set(Level::kHigh).ok());
  EXPECT_TRUE(becomes(Level::kHigh));
  other->reset();
  EXPECT_TRUE(becomes(Level::kMid));
  EXPECT_TRUE((*one)->Set(Level::kLow).ok());
  EXPECT_TRUE(becomes(Level::kLow));
}

TEST(DaemonActuatorTest, TheDescriptionTellsTheLimits) {
  RunningDaemon daemon({.limits = {.max_level = Level::kMid}});
  ActuatorConfig config;
  config.loop_tid = gettid();
  config.daemon_socket = daemon.socket();
  config.frequencies = {1, 2, 3};
  const auto client = MakeDaemonActuator(config);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_THAT((*client)->description(), HasSubstr("at most mid"));
  EXPECT_THAT((*client)->description(), HasSubstr("those of the daemon"));
  config.frequencies = {3, 2, 1};
  EXPECT_TRUE(absl::IsInvalidArgument(MakeDaemonActuator(config).status()));
}

TEST(DaemonActuatorTest, TooManyWishesBecomeTheLatest) {
  RunningDaemon daemon({.limits = {.min_interval_ns = 20'000'000}});
  const auto client = daemon.Client();
  ASSERT_TRUE(client.ok()) << client.status();
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE((*client)->Set(i % 2 == 0 ? Level::kHigh : Level::kLow).ok());
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  EXPECT_TRUE((*client)->Set(Level::kMid).ok());
  EXPECT_TRUE(Eventually([&] { return daemon.asked().last() == Level::kMid; }));
  const auto status = AskStatus(daemon.socket());
  ASSERT_TRUE(status.ok());
  EXPECT_GT(status->throttled, 0u);
  // Burst and interval, over less than a second.
  EXPECT_LT(status->requests, 60u);
  daemon.Stop();
  EXPECT_THAT(daemon.directory().LogText(), HasSubstr("asks too often"));
}

TEST(DaemonActuatorTest, AKilledClientsLevelIsTakenBack) {
  int to_client[2];
  ASSERT_EQ(pipe(to_client), 0);
  std::array<char, 200> path{};
  ChildProcess client([&] {
    if (read(to_client[0], path.data(), path.size()) <= 0) _exit(1);
    const auto actuator = RunningDaemon::ClientOf(path.data());
    if (actuator.ok() && (*actuator)->Set(Level::kHigh).ok()) pause();
  });
  RunningDaemon daemon;
  const std::string socket = daemon.socket();
  ASSERT_GT(write(to_client[1], socket.c_str(), socket.size() + 1), 0);
  ASSERT_TRUE(
      Eventually([&] { return daemon.asked().last() == Level::kHigh; }));
  const int64_t killed_ns = MonotonicNs();
  kill(client.pid(), SIGKILL);
  ASSERT_TRUE(Eventually([&] { return daemon.asked().last() == Level::kLow; }));
  EXPECT_LT(MonotonicNs() - killed_ns, 100'000'000);
  close(to_client[0]);
  close(to_client[1]);
}

TEST(DaemonActuatorTest, AKilledDaemonIsToldOnceAndHarmsNobody) {
  const DaemonDirectory directory;
  DaemonProcess daemon(directory);
  const auto client = RunningDaemon::ClientOf(directory.socket());
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE((*client)->Set(Level::kMid).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  daemon.Kill();
  const int64_t began_ns = MonotonicNs();
  EXPECT_TRUE(absl::IsUnavailable((*client)->Set(Level::kHigh)));
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE((*client)->Set(i % 2 == 0 ? Level::kLow : Level::kHigh).ok());
  }
  EXPECT_LT(MonotonicNs() - began_ns, kNotBlockedNs);
  const auto late = RunningDaemon::ClientOf(directory.socket());
  EXPECT_TRUE(absl::IsUnavailable(late.status())) << late.status();
}

TEST(DaemonActuatorTest, AStoppedDaemonBlocksNobodyAndIsFoundDead) {
  const DaemonDirectory directory;
  DaemonProcess daemon(directory);
  const auto client = RunningDaemon::ClientOf(directory.socket());
  ASSERT_TRUE(client.ok()) << client.status();
  kill(daemon.pid(), SIGSTOP);
  int64_t began_ns = MonotonicNs();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE((*client)->Set(i % 2 == 0 ? Level::kHigh : Level::kLow).ok());
  }
  EXPECT_LT(MonotonicNs() - began_ns, kNotBlockedNs);
  // It has been rung for once, and looks awake ever after.
  daemon.Kill();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_TRUE(absl::IsUnavailable((*client)->Set(Level::kHigh)));
}

TEST(DaemonActuatorTest, ADaemonThatEndsRestoresAndIsNoticedAtOnce) {
  RunningDaemon daemon;
  const auto client = daemon.Client();
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE((*client)->Set(Level::kHigh).ok());
  EXPECT_TRUE(
      Eventually([&] { return daemon.asked().last() == Level::kHigh; }));
  daemon.Stop();
  EXPECT_EQ(daemon.asked().last(), Level::kLow);
  EXPECT_TRUE(absl::IsUnavailable((*client)->Set(Level::kLow)));
  EXPECT_TRUE((*client)->Set(Level::kHigh).ok());
}

TEST(DaemonActuatorTest, WithoutADaemonTheNextStepIsNamed) {
  const DaemonDirectory directory;
  const auto client = RunningDaemon::ClientOf(directory.socket());
  EXPECT_TRUE(absl::IsUnavailable(client.status()));
  EXPECT_THAT(std::string(client.status().message()),
              HasSubstr("next step, as root: edgewise boostd"));
}

}  // namespace
}  // namespace edgewise
