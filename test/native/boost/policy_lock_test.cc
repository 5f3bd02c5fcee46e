#include "boost/actuator/policy_lock.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "boost/actuator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/native/boost/child_process.h"
#include "test/native/boost/guardian_kit.h"

namespace edgewise {
namespace {

using ::testing::HasSubstr;

FrequencyDomain Domain(int number) {
  FrequencyDomain domain;
  domain.path = "/cpufreq/policy" + std::to_string(number);
  domain.cpus = std::to_string(number);
  return domain;
}

class PolicyLockTest : public GuardianTest {
 protected:
  PolicyLockTest() { config_.guardian_program.clear(); }

  absl::StatusOr<PolicyLock> Take(const std::vector<int>& numbers) const {
    std::vector<FrequencyDomain> domains;
    for (const int number : numbers) domains.push_back(Domain(number));
    return PolicyLock::Take(sysfs_.root(), domains);
  }

  // Another process that boosts until it is killed.
  std::unique_ptr<ChildProcess> Boosting() const {
    std::array<int, 2> ready;
    EXPECT_EQ(pipe(ready.data()), 0);
    auto child = std::make_unique<ChildProcess>([&] {
      const auto actuator = MakeActuator(config_);
      if (!actuator.ok() || !(*actuator)->Set(Level::kHigh).ok()) _exit(1);
      if (write(ready[1], "r", 1) == 1) pause();
    });
    close(ready[1]);
    char byte;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
  }

  std::string MinFreq() const {
    return sysfs_.Read(FakeSysfs::Policy(0, "scaling_min_freq"));
  }
};

TEST_F(PolicyLockTest, AllOrNone) {
  auto first = Take({0});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto both = Take({1, 0});
  EXPECT_TRUE(absl::IsUnavailable(both.status())) << both.status();
  EXPECT_THAT(std::string(both.status().message()), HasSubstr("CPU 0: "));
  EXPECT_TRUE(Take({1}).ok()) << "nothing is kept by who did not get all";
  first = PolicyLock();
  EXPECT_TRUE(Take({1, 0}).ok());
}

TEST_F(PolicyLockTest, TheFileOfAnotherUserIsNone) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::string path = sysfs_.root() + "/run/edgewise-cpufreq.lock";
  ASSERT_TRUE(Take({0}).ok());
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_TRUE(absl::IsUnavailable(Take({0}).status()));
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(symlink("/dev/null", path.c_str()), 0);
  EXPECT_FALSE(Take({0}).ok());
}

TEST_F(PolicyLockTest, TheSecondActuatorIsSentToTheDaemon) {
  sysfs_.WithoutUserspace(0);
  sysfs_.Write(FakeSysfs::Policy(0, "energy_performance_preference"), "power");
  sysfs_.Write(FakeSysfs::Policy(0, "energy_performance_available_preferences"),
               "power performance");
  sysfs_.Remove(FakeSysfs::Policy(1));
  const auto other = Boosting();
  ASSERT_EQ(MinFreq(), "4000000");
  for (const char* name : {"cpufreq", "epp"}) {
    ActuatorConfig config = config_;
    config.name = name;
    const auto second = MakeActuator(config);
    EXPECT_TRUE(absl::IsUnavailable(second.status())) << name;
    EXPECT_THAT(std::string(second.status().message()),
                HasSubstr("next step: edgewise boostd"))
        << name;
  }
  EXPECT_EQ(MinFreq(), "4000000") << "the boost goes on";
}

TEST_F(PolicyLockTest, TwoLoopsOfAProcessAreTwo) {
  auto first = MakeActuator(config_);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(absl::IsUnavailable(MakeActuator(config_).status()));
  EXPECT_EQ(Governor(0), "userspace") << "it is still the first one's";
  (*first)->Restore();
  EXPECT_TRUE(MakeActuator(config_).ok());
}

// Else the next would take the boost for what was before.
TEST_F(PolicyLockTest, AKilledOnesGuardianHoldsItUntilAllIsRestored) {
  sysfs_.WithoutUserspace(0);
  config_.guardian_program = GuardianProgram();
  for (int i = 0; i < 20; ++i) {
    const auto other = Boosting();
    ASSERT_EQ(MinFreq(), "4000000");
    other->Kill();
    absl::StatusOr<std::unique_ptr<Actuator>> next;
    const auto taken = [&] {
      next = MakeActuator(config_);
      return next.ok();
    };
    ASSERT_GE(WaitUntil(taken, kRestoredNs), 0) << next.status();
    EXPECT_EQ(MinFreq(), "1200000");
    next->reset();
    EXPECT_EQ(MinFreq(), "1200000");
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace
}  // namespace edgewise
