// boostd's chain in a tree of files: a server that boosts through the daemon,
// and the daemon itself, each killed while the frequency is high.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>

#include "boost/actuator.h"
#include "test/native/boost/child_process.h"
#include "test/native/boost/daemon_kit.h"
#include "test/native/boost/guardian_kit.h"

namespace edgewise {
namespace {

constexpr int kDaemons = 20;
constexpr int kClients = 200;

class DaemonKilledTest : public GuardianTest {
 protected:
  // Made before any thread of this process.
  std::unique_ptr<ChildProcess> Daemon(const DaemonDirectory& directory) const {
    return std::make_unique<ChildProcess>([&] {
      auto actuator = MakeActuator(config_);
      if (!actuator.ok()) _exit(1);
      ServeDaemon(directory, {}, *std::move(actuator), eventfd(0, EFD_CLOEXEC));
    });
  }

  static std::unique_ptr<ChildProcess> Client(
      const DaemonDirectory& directory) {
    return std::make_unique<ChildProcess>([&] {
      absl::StatusOr<std::unique_ptr<Actuator>> actuator;
      const auto connected = [&] {
        actuator = RunningDaemon::ClientOf(directory.socket());
        return actuator.ok();
      };
      if (!Eventually(connected)) _exit(1);
      for (;;) {
        static_cast<void>((*actuator)->Set(Level::kHigh));
        pause();
      }
    });
  }

  bool Boosted() const {
    return sysfs_.Read(FakeSysfs::Policy(0, "scaling_setspeed")) == "4000000";
  }

  std::mt19937 random_{7};
  std::uniform_int_distribution<int64_t> instant_us_{0, 3000};
};

TEST_F(DaemonKilledTest, ItsGuardianRestores) {
  int64_t longest_ns = 0;
  for (int i = 0; i < kDaemons; ++i) {
    sysfs_.Write(FakeSysfs::Policy(0, "scaling_setspeed"), "<unsupported>");
    const DaemonDirectory directory;
    const auto daemon = Daemon(directory);
    const auto client = Client(directory);
    ASSERT_TRUE(Eventually([&] { return Boosted(); })) << "daemon " << i;
    SleepUs(instant_us_(random_));
    daemon->Kill();
    const int64_t took_ns = WaitUntil([&] { return Restored(); }, kRestoredNs);
    ASSERT_GE(took_ns, 0) << "not restored after daemon " << i;
    longest_ns = std::max(longest_ns, took_ns);
    int status = -1;
    ASSERT_GT(waitpid(-1, &status, WUNTRACED), 0) << "no guardian";
    EXPECT_EQ(status, 0);
  }
  std::printf("%d daemons killed; restored within %.1f ms\n", kDaemons,
              static_cast<double>(longest_ns) / 1e6);
}

TEST_F(DaemonKilledTest, AKilledServersBoostEnds) {
  const DaemonDirectory directory;
  const auto daemon = Daemon(directory);
  int64_t longest_ns = 0;
  for (int i = 0; i < kClients; ++i) {
    const auto client = Client(directory);
    ASSERT_TRUE(Eventually([&] { return Boosted(); })) << "client " << i;
    SleepUs(instant_us_(random_));
    client->Kill();
    const int64_t took_ns = WaitUntil([&] { return !Boosted(); }, kRestoredNs);
    ASSERT_GE(took_ns, 0) << "still boosted after client " << i;
    longest_ns = std::max(longest_ns, took_ns);
  }
  std::printf("%d servers killed; the frequency is low within %.1f ms\n",
              kClients, static_cast<double>(longest_ns) / 1e6);
  daemon->Kill();
  ASSERT_GE(WaitUntil([&] { return Restored(); }, kRestoredNs), 0);
  ASSERT_GT(waitpid(-1, nullptr, 0), 0) << "no guardian";
}

}  // namespace
}  // namespace edgewise
