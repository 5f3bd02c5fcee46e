#include "boost/actuator/emulated_domain.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr Frequencies kFrequencies = {2'600'000, 3'300'000, 4'000'000};

Level Holds(const EmulatedDomain& domain) {
  FrequencyTimeline timeline;
  EXPECT_TRUE(domain.Read(&timeline));
  return timeline.At(MonotonicNs());
}

class EmulatedDomainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/edgewise-domain-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    path_ = folder_ + "/domain";
  }
  void TearDown() override { rmdir(folder_.c_str()); }

  std::unique_ptr<EmulatedDomain> Join() {
    auto domain = EmulatedDomain::Join(kFrequencies, 0, path_);
    EXPECT_TRUE(domain.ok()) << domain.status();
    return domain.ok() ? *std::move(domain) : nullptr;
  }

  // A member in another process that asks for the high level and stays.
  pid_t Fork() {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto domain = Join();
      domain->Ask(Level::kHigh);
      if (write(ready[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char byte;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
  }

  // A member in another process, stopped before it asks for less than the high
  // level, and again afterwards.
  pid_t ForkTraced() {
    const pid_t child = fork();
    if (child == 0) {
      const auto domain = Join();
      domain->Ask(Level::kHigh);
      if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
      raise(SIGSTOP);
      domain->Ask(Level::kLow);
      raise(SIGSTOP);
      _exit(1);
    }
    return child;
  }

  std::string folder_;
  std::string path_;
};

// Of a traced process, until it stops itself; at most so many.
int Instructions(pid_t child, int most) {
  int count = 0;
  int status = 0;
  while (count < most &&
         ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0 &&
         waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
         WSTOPSIG(status) == SIGTRAP) {
    ++count;
  }
  return count;
}

TEST_F(EmulatedDomainTest, OnesOwn) {
  auto domain = EmulatedDomain::Join(kFrequencies, 0, "");
  ASSERT_TRUE(domain.ok());
  EXPECT_FALSE((*domain)->shared());
  EXPECT_TRUE((*domain)->LeadOn(0));
  EXPECT_EQ(Holds(**domain), Level::kLow);
  (*domain)->Ask(Level::kMid);
  EXPECT_EQ(Holds(**domain), Level::kMid);
}

// Files of this process that have a name which would outlive it.
int SharedFiles() {
  int count = 0;
  for (const auto& each :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(each, error);
    if (target.native().starts_with("/dev/shm/")) ++count;
  }
  return count;
}

TEST_F(EmulatedDomainTest, OfAProcess) {
  const auto join = [] {
    auto domain =
        EmulatedDomain::Join(kFrequencies, 0, std::string(kProcessDomain));
    EXPECT_TRUE(domain.ok()) << domain.status();
    return *std::move(domain);
  };
  {
    const auto one = join();
    auto other = join();
    EXPECT_TRUE(one->shared());
    EXPECT_TRUE(one->LeadOn(0));
    EXPECT_FALSE(other->LeadOn(0));
    other->Ask(Level::kHigh);
    EXPECT_EQ(Holds(*one), Level::kHigh);
    other.reset();
    EXPECT_EQ(Holds(*one), Level::kLow);
    EXPECT_EQ(SharedFiles(), 0) << "a kill would leave it there";
    one->Ask(Level::kHigh);
  }
  EXPECT_EQ(Holds(*join()), Level::kLow) << "begun anew";
}

TEST_F(EmulatedDomainTest, WhatAKillLeavesGoesWithTheNextMember) {
  const pid_t child = Fork();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(path_));
  Join();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(EmulatedDomainTest, TheHighestThatAnyoneAsksFor) {
  const auto one = Join();
  auto other = Join();
  one->Ask(Level::kMid);
  other->Ask(Level::kHigh);
  EXPECT_EQ(Holds(*one), Level::kHigh);
  one->Ask(Level::kLow);
  EXPECT_EQ(Holds(*one), Level::kHigh);
  other->Ask(Level::kMid);
  EXPECT_EQ(Holds(*one), Level::kMid);
  other.reset();
  EXPECT_EQ(Holds(*one), Level::kLow) << "who leaves asks for nothing";
}

TEST_F(EmulatedDomainTest, OneThiefAProcessor) {
  auto one = Join();
  const auto other = Join();
  EXPECT_TRUE(one->LeadOn(0));
  EXPECT_TRUE(one->LeadOn(0)) << "it still does";
  EXPECT_FALSE(other->LeadOn(0));
  EXPECT_TRUE(other->LeadOn(1));
  one.reset();
  EXPECT_TRUE(other->LeadOn(0));
}

TEST_F(EmulatedDomainTest, TheLastOneTakesTheFileAway) {
  struct stat file;
  auto one = Join();
  auto other = Join();
  one.reset();
  EXPECT_EQ(stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600);
  other.reset();
  EXPECT_NE(stat(path_.c_str(), &file), 0);
}

TEST_F(EmulatedDomainTest, KilledWhileItAsksForMore) {
  const auto one = Join();
  const pid_t child = Fork();
  EXPECT_EQ(Holds(*one), Level::kHigh);
  one->ForgetTheDead();
  EXPECT_EQ(Holds(*one), Level::kHigh) << "it lives";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  one->ForgetTheDead();
  EXPECT_EQ(Holds(*one), Level::kLow);
}

// Whether the survivor's loop or its thief is the first to find the lock held
// by the dead.
TEST_F(EmulatedDomainTest, KilledAtAnyInstructionWhileItAsksForLess) {
  constexpr int kMostKills = 50;  // 0.1 ms an instruction
  const auto one = Join();
  int all = 0;
  for (int instructions = INT_MAX; instructions > 0;
       instructions -= (all / kMostKills) | 1) {
    const pid_t child = ForkTraced();
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (!WIFSTOPPED(status)) GTEST_SKIP() << "no process may be traced here";
    const int ran = Instructions(child, instructions);
    if (all == 0) instructions = all = ran;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (instructions % 2 == 0) one->ReadNow();
    one->ForgetTheDead();
    ASSERT_EQ(Holds(*one), Level::kLow)
        << "after " << ran << " of " << all << " instructions";
  }
  EXPECT_GT(all, 100);
}

TEST_F(EmulatedDomainTest, WhatTheDeadLeftIsNotTaken) {
  const pid_t child = Fork();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  auto other = EmulatedDomain::Join({1, 2, 3}, 5, path_);
  ASSERT_TRUE(other.ok()) << "nobody lives who has other frequencies";
  EXPECT_EQ(Holds(**other), Level::kLow);
}

TEST_F(EmulatedDomainTest, RefusesWhoDiffers) {
  const auto one = Join();
  EXPECT_EQ(EmulatedDomain::Join({1, 2, 3}, 0, path_).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EmulatedDomain::Join(kFrequencies, 7, path_).status().code(),
            absl::StatusCode::kInvalidArgument);
  one->Ask(Level::kHigh);
  EXPECT_EQ(Holds(*one), Level::kHigh) << "the refused did no harm";
}

TEST_F(EmulatedDomainTest, RefusesNamesAndPlaces) {
  for (const std::string& name :
       {std::string("a b"), std::string("\n"), std::string(65, 'a')}) {
    EXPECT_EQ(EmulatedDomain::Join(kFrequencies, 0, name).status().code(),
              absl::StatusCode::kInvalidArgument)
        << name;
  }
  EXPECT_EQ(EmulatedDomain::Join(kFrequencies, 0, folder_ + "/no/such")
                .status()
                .code(),
            absl::StatusCode::kNotFound);
  ASSERT_EQ(symlink("/dev/null", path_.c_str()), 0);
  EXPECT_FALSE(EmulatedDomain::Join(kFrequencies, 0, path_).ok());
  unlink(path_.c_str());
}

TEST_F(EmulatedDomainTest, WakesWhoWaits) {
  const auto one = Join();
  const auto other = Join();
  other->Ask(Level::kHigh);
  const uint32_t seen = one->changes();
  std::thread asker([&] { other->Ask(Level::kLow); });
  while (one->changes() == seen) {
    one->WaitForChange(seen, FrequencyTimeline::kNoTime);
  }
  asker.join();
  EXPECT_EQ(Holds(*one), Level::kLow);
  const int64_t until_ns = MonotonicNs() + 2'000'000;
  one->WaitForChange(one->changes(), until_ns);
  EXPECT_GE(MonotonicNs(), until_ns) << "no change: until then";
}

}  // namespace
}  // namespace edgewise
