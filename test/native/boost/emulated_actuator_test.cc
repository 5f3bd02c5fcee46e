#include "boost/actuator/emulated_actuator.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr double kTolerance = 0.08;

std::unique_ptr<Actuator> Make(const ActuatorConfig& config = {}) {
  auto actuator = MakeEmulatedActuator(config);
  EXPECT_TRUE(actuator.ok()) << actuator.status();
  return actuator.ok() ? *std::move(actuator) : nullptr;
}

bool RealtimeAllowed() {
  return MakeEmulatedActuator({}).status().code() !=
         absl::StatusCode::kPermissionDenied;
}

// Of all thieves of this process.
struct Stolen {
  int64_t ran_ns = 0;  // processor time that they were counted
  int64_t steals = 0;
};

Stolen ReadStolen() {
  Stolen sum;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    if (name != "edgewise-thief") continue;
    int64_t ran_ns = 0;
    int64_t waited_ns = 0;
    int64_t steals = 0;
    std::ifstream(task.path() / "schedstat") >> ran_ns >> waited_ns >> steals;
    sum.ran_ns += ran_ns;
    sum.steals += steals;
  }
  return sum;
}

// What a steal costs beyond the thief's own time (10 to 50 us, for the most
// part the timer's interrupt on a virtual machine), as the actuator measured
// it.
double OverheadNs(const Actuator& actuator) {
  const std::string description = actuator.description();
  const size_t unit = description.find(" us of a steal are its own cost");
  EXPECT_NE(unit, std::string::npos) << description;
  const size_t number = description.rfind(' ', unit - 1) + 1;
  return 1e3 * std::stod(description.substr(number, unit - number));
}

// Parts of a time; what was stolen in truth lies between the two, as a part of
// a steal's cost is counted as the thief's.
struct Share {
  double counted = 0;
  double with_cost = 0;
};

Share ShareSince(const Stolen& before, const Actuator& actuator,
                 double passed_ns) {
  const Stolen now = ReadStolen();
  const auto ran_ns = static_cast<double>(now.ran_ns - before.ran_ns);
  const double cost_ns =
      static_cast<double>(now.steals - before.steals) * OverheadNs(actuator);
  return {ran_ns / passed_ns, (ran_ns + cost_ns) / passed_ns};
}

void Spin(int64_t duration_ns) {
  const int64_t until_ns = MonotonicNs() + duration_ns;
  while (MonotonicNs() < until_ns) {
  }
}

// What the thieves take, whatever else runs on this machine: the median of
// some windows, since a virtual processor that stands still while a thief runs
// is counted as the thief's time.
Share StolenShare(const Actuator& actuator) {
  std::array<Share, 5> windows;
  for (Share& window : windows) {
    const int64_t begin_ns = MonotonicNs();
    const Stolen before = ReadStolen();
    Spin(40'000'000);
    window = ShareSince(before, actuator,
                        static_cast<double>(MonotonicNs() - begin_ns));
  }
  const auto median = windows.begin() + windows.size() / 2;
  std::nth_element(
      windows.begin(), median, windows.end(),
      [](const Share& a, const Share& b) { return a.counted < b.counted; });
  return *median;
}

void ExpectShare(const Share& stolen, double share) {
  EXPECT_GT(stolen.with_cost, share - kTolerance);
  EXPECT_LT(stolen.counted, share + kTolerance);
}

int CpusAllowed() {
  cpu_set_t mask;
  EXPECT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  return CPU_COUNT(&mask);
}

class EmulatedActuatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RealtimeAllowed()) {
      GTEST_SKIP() << "real-time threads are not allowed to this user";
    }
  }
};

TEST_F(EmulatedActuatorTest, StealsWhatTheLevelLacks) {
  const auto actuator = Make();
  ASSERT_NE(actuator, nullptr);
  const Share low = StolenShare(*actuator);
  ASSERT_TRUE(actuator->Set(Level::kMid).ok());
  const Share mid = StolenShare(*actuator);
  ASSERT_TRUE(actuator->Set(Level::kHigh).ok());
  const Share high = StolenShare(*actuator);
  ExpectShare(low, 0.35);
  ExpectShare(mid, 0.175);
  ExpectShare(high, 0);
  EXPECT_GT(low.counted, mid.counted);
  EXPECT_GT(mid.counted, high.counted);
}

// Boosts that last for a part of the thief's period only.
TEST_F(EmulatedActuatorTest, ShortBoostsAreNotStolenFrom) {
  const auto actuator = Make();
  ASSERT_NE(actuator, nullptr);
  const Residency before = *actuator->residency();
  const Stolen begin = ReadStolen();
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(actuator->Set(Level::kHigh).ok());
    Spin(70'000);
    ASSERT_TRUE(actuator->Set(Level::kLow).ok());
    Spin(130'000);
  }
  const auto low_ns =
      static_cast<double>((*actuator->residency())[0] - before[0]);
  // A thief that knew nothing of the boosts would steal 0.54 of it.
  ExpectShare(ShareSince(begin, *actuator, low_ns), 0.35);
}

TEST_F(EmulatedActuatorTest, SaysWhatItIs) {
  const auto actuator = Make({.emulated_delay_ns = 50'000});
  ASSERT_NE(actuator, nullptr);
  EXPECT_EQ(actuator->name(), "emulated");
  EXPECT_EQ(actuator->frequencies(), kPaperFrequencies);
  EXPECT_EQ(actuator->transition_ns(), 50'000);
  EXPECT_GT(actuator->call_ns(), 0);
  EXPECT_NE(actuator->description().find("35.0, 17.5 and 0 %"),
            std::string::npos)
      << actuator->description();
  EXPECT_NE(actuator->description().find("50 us late"), std::string::npos);
}

TEST_F(EmulatedActuatorTest, RestoresTheProcessorsOfTheLoop) {
  const int before = CpusAllowed();
  const auto actuator = Make();
  ASSERT_NE(actuator, nullptr);
  EXPECT_EQ(CpusAllowed(), 1);
  actuator->Restore();
  EXPECT_EQ(CpusAllowed(), before);
  actuator->Restore();
  EXPECT_TRUE(actuator->Set(Level::kMid).ok());
  EXPECT_EQ((*actuator->residency())[1], 0) << "Set() has no effect any more";
}

TEST_F(EmulatedActuatorTest, CountsTheTimeAtEachLevel) {
  const auto actuator = Make({.emulated_delay_ns = 5'000'000});
  ASSERT_NE(actuator, nullptr);
  const Residency before = *actuator->residency();
  const int64_t begin_ns = MonotonicNs();
  ASSERT_TRUE(actuator->Set(Level::kHigh).ok());
  Spin(20'000'000);
  const Residency after = *actuator->residency();
  const int64_t passed_ns = MonotonicNs() - begin_ns;
  const int64_t high_ns = after[2] - before[2];
  EXPECT_LE(high_ns, passed_ns - 5'000'000);
  EXPECT_GE(high_ns, 15'000'000 - 1'000'000);
  EXPECT_GE(after[0] - before[0], 5'000'000);
  EXPECT_EQ(after[1], before[1]);
}

TEST_F(EmulatedActuatorTest, TwoOfOneProcessorStealOnce) {
  const std::string name = absl::StrCat("test-", getpid());
  const auto one = Make({.shared_domain = name});
  const auto other = Make({.shared_domain = name});
  ASSERT_TRUE(one != nullptr && other != nullptr);
  ExpectShare(StolenShare(*one), 0.35);
  ASSERT_TRUE(other->Set(Level::kHigh).ok());
  EXPECT_LT(StolenShare(*one).with_cost, kTolerance)
      << "the one follows the other's wish";
}

// A process that asks for the high level nearly all the time, until it is
// killed.
pid_t ForkBoosted(const std::string& domain) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto boosted = Make({.shared_domain = domain});
    if (!boosted->Set(Level::kHigh).ok()) _exit(1);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) {
      usleep(300);
      if (!boosted->Set(Level::kLow).ok()) _exit(1);
      if (!boosted->Set(Level::kHigh).ok()) _exit(1);
    }
  }
  char byte;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return child;
}

// The thief dies with its process; who shares its frequency goes on without.
TEST_F(EmulatedActuatorTest, KilledAtAnyInstantWhileItIsBoosted) {
  constexpr int kKills = 200;
  const std::string domain = absl::StrCat("test-killed-", getpid());
  const auto survivor = Make({.shared_domain = domain});
  ASSERT_NE(survivor, nullptr);
  std::mt19937 random(1);
  std::uniform_int_distribution<int> pause_us(0, 2000);
  int64_t worst_ns = 0;
  for (int i = 0; i < kKills; ++i) {
    const pid_t child = ForkBoosted(domain);
    usleep(pause_us(random));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const int64_t killed_ns = MonotonicNs();
    const Residency then = *survivor->residency();
    while ((*survivor->residency())[0] == then[0]) {
      usleep(100);  // who asks all the time has the domain's lock half of it
      ASSERT_LT(MonotonicNs() - killed_ns, 1'000'000'000);
    }
    worst_ns = std::max(worst_ns, MonotonicNs() - killed_ns);
  }
  RecordProperty("worst_restore_us", static_cast<int>(worst_ns / 1000));
  std::cout << kKills << " kills: the low level is back within "
            << worst_ns / 1000 << " us\n";
}

TEST(EmulatedActuatorArguments, AreChecked) {
  const auto code = [](const ActuatorConfig& config) {
    return MakeEmulatedActuator(config).status().code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code({.frequencies = {3, 2, 4}}), kInvalid);
  EXPECT_EQ(code({.frequencies = {2, 2, 4}}), kInvalid);
  EXPECT_EQ(code({.frequencies = {0, 2, 4}}), kInvalid);
  EXPECT_EQ(code({.frequencies = {1, 20, 40}}), kInvalid) << "95 % is the most";
  EXPECT_EQ(code({.emulated_delay_ns = -1}), kInvalid);
  EXPECT_EQ(code({.emulated_delay_ns = 2'000'000'000}), kInvalid);
  EXPECT_EQ(code({.loop_tid = 1}), kInvalid) << "another thread";
}

TEST(EmulatedActuatorArguments, PermissionComesWithTheNextStep) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give it up";
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(2);
    const absl::Status refused = MakeEmulatedActuator({}).status();
    const bool told =
        refused.code() == absl::StatusCode::kPermissionDenied &&
        refused.message().find("CAP_SYS_NICE") != absl::string_view::npos;
    _exit(told && CpusAllowed() > 0 ? 0 : 1);
  }
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace edgewise
