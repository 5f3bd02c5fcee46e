#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "boost/daemon/client_thread.h"
#include "boost/daemon/domains.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/native/boost/daemon_kit.h"

namespace edgewise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void AddPolicy(const std::string& root, int number, const std::string& cpus) {
  const std::string directory =
      root + "/sys/devices/system/cpu/cpufreq/policy" + std::to_string(number);
  std::filesystem::create_directories(directory);
  std::ofstream(directory + "/affected_cpus") << cpus << "\n";
}

TEST(DaemonDomainsTest, PoliciesComeInTheOrderOfTheirNumbers) {
  const DaemonDirectory directory;
  EXPECT_THAT(CpufreqPolicies(directory.path()), IsEmpty());
  AddPolicy(directory.path(), 10, "10 11");
  AddPolicy(directory.path(), 2, "2");
  AddPolicy(directory.path(), 3, "");  // all offline
  EXPECT_THAT(CpufreqPolicies(directory.path()),
              ElementsAre(ElementsAre(2), ElementsAre(10, 11)));
}

// Notes on which CPUs it was made, by the thread's affinity.
struct NotedMaker {
  absl::StatusOr<std::unique_ptr<Actuator>> operator()(
      const ActuatorConfig& config) {
    made_on->push_back(AffinityOf(config.loop_tid));
    return std::make_unique<RecordingActuator>(std::make_shared<Asked>());
  }
  std::shared_ptr<std::vector<std::vector<int>>> made_on =
      std::make_shared<std::vector<std::vector<int>>>();
};

TEST(DaemonDomainsTest, OnePolicyIsTheMachine) {
  const DaemonDirectory directory;
  AddPolicy(directory.path(), 0, "0 1");
  const NotedMaker maker;
  ActuatorConfig config;
  config.root = directory.path();
  const auto domains = MakeDomains(config, maker);
  ASSERT_TRUE(domains.ok()) << domains.status();
  ASSERT_EQ(domains->size(), 1u);
  EXPECT_THAT(domains->front().cpus, IsEmpty());
  EXPECT_THAT(*maker.made_on, ElementsAre(AffinityOf(gettid())));
}

TEST(DaemonDomainsTest, EachPolicyHasAnActuatorMadeOnItsCpus) {
  const std::vector<int> own = AffinityOf(gettid());
  if (own.size() < 2) GTEST_SKIP() << "needs two CPUs";
  const DaemonDirectory directory;
  AddPolicy(directory.path(), 0, std::to_string(own[0]));
  AddPolicy(directory.path(), 1, std::to_string(own[1]));
  const NotedMaker maker;
  ActuatorConfig config;
  config.root = directory.path();
  const auto domains = MakeDomains(config, maker);
  ASSERT_TRUE(domains.ok()) << domains.status();
  EXPECT_THAT(*maker.made_on,
              ElementsAre(ElementsAre(own[0]), ElementsAre(own[1])));
  EXPECT_THAT((*domains)[1].cpus, ElementsAre(own[1]));
  EXPECT_EQ(AffinityOf(gettid()), own);
}

TEST(DaemonDomainsTest, ACpuThatTheDaemonMayNotUseIsNamed) {
  const DaemonDirectory directory;
  AddPolicy(directory.path(), 0, "0");
  AddPolicy(directory.path(), 1, "8000");
  ActuatorConfig config;
  config.root = directory.path();
  const auto domains = MakeDomains(config, NotedMaker{});
  EXPECT_TRUE(absl::IsFailedPrecondition(domains.status()));
}

TEST(DaemonClientThreadTest, OnlyThreadsOfTheProcessAreFound) {
  EXPECT_EQ(ThreadOf(getpid(), gettid()), gettid());
  EXPECT_EQ(ThreadOf(getpid(), 1), std::nullopt);
  EXPECT_EQ(ThreadOf(getpid(), -7), std::nullopt);
  EXPECT_EQ(ThreadOf(0, gettid()), std::nullopt);
}

}  // namespace
}  // namespace edgewise
