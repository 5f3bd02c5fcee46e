#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "boost/daemon/client_thread.h"
#include "boost/daemon/domains.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "platform/thread.h"
#include "test/native/boost/child_process.h"
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

// Whoever asks for one that does not exist must not have the daemon read the
// papers of all that do.
TEST(DaemonClientThreadTest, ManyThreadsCostTheDaemonNothing) {
  constexpr int kThreads = 1000;
  std::latch done(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] { done.wait(); });
  }
  const int64_t before_ns = ThreadCpuNs();
  EXPECT_EQ(ThreadOf(getpid(), 1), std::nullopt);
  EXPECT_LT(ThreadCpuNs() - before_ns, 2'000'000);
  done.count_down();
  for (std::thread& each : threads) each.join();
}

TEST(DaemonClientThreadTest, AThreadOfAContainerIsFound) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  // Its child is the first process of a namespace, and ends with it.
  ChildProcess outside([&] {
    if (unshare(CLONE_NEWPID) != 0) _exit(1);
    const pid_t inside = fork();
    if (inside == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::thread([&] {
        const pid_t tid = gettid();
        if (write(ends[1], &tid, sizeof(tid)) > 0) pause();
      }).join();
    }
    if (write(ends[1], &inside, sizeof(inside)) > 0) pause();
  });
  pid_t first = 0;
  pid_t second = 0;
  ASSERT_EQ(read(ends[0], &first, sizeof(first)), ssize_t{sizeof(first)});
  ASSERT_EQ(read(ends[0], &second, sizeof(second)), ssize_t{sizeof(second)});
  const auto [inner, pid] = std::minmax(first, second);
  ASSERT_LT(inner, 10) << "its number in the namespace";
  const std::optional<pid_t> found = ThreadOf(pid, inner);
  ASSERT_TRUE(found.has_value());
  EXPECT_NE(*found, pid);
  EXPECT_TRUE(std::filesystem::exists("/proc/" + std::to_string(pid) +
                                      "/task/" + std::to_string(*found)));
  EXPECT_EQ(ThreadOf(pid, 9999), std::nullopt);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace edgewise
