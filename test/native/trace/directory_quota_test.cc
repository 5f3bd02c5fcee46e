#include "trace/directory_quota.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace edgewise {
namespace {

constexpr uint64_t kMb = uint64_t{1} << 20;

class DirectoryQuotaTest : public ::testing::Test {
 protected:
  DirectoryQuotaTest() {
    char name[] = "/tmp/edgewise-quota-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    directory_ = name;
  }
  ~DirectoryQuotaTest() override { std::filesystem::remove_all(directory_); }
  void WriteTrace(const std::string& name, size_t bytes) {
    std::ofstream(directory_ + "/" + name) << std::string(bytes, 'x');
  }
  // What a writer gets that takes `each` until there is no more.
  static uint64_t TakeAll(DirectoryQuota* quota, uint64_t each) {
    uint64_t taken = 0;
    while (quota->Take(each)) taken += each;
    return taken;
  }
  size_t Files() const {
    const std::filesystem::directory_iterator files(directory_);
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }
  std::string directory_;
};

TEST_F(DirectoryQuotaTest, OneWriterHasItAll) {
  DirectoryQuota quota(directory_, kMb);
  const uint64_t taken = TakeAll(&quota, 1000);
  EXPECT_LE(taken, kMb);
  EXPECT_GT(taken, kMb - 5096);
}

TEST_F(DirectoryQuotaTest, SmallQuotasAreKeptToo) {
  DirectoryQuota quota(directory_, 1000);
  EXPECT_TRUE(quota.Take(100));
  EXPECT_FALSE(quota.Take(1000));
  EXPECT_TRUE(quota.Take(800));
  EXPECT_FALSE(quota.Take(200));
}

TEST_F(DirectoryQuotaTest, SeveralWritersShareIt) {
  // What is not written would be counted anew without somebody who stays.
  const DirectoryQuota keeper(directory_, kMb);
  std::atomic<uint64_t> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int file = 0; file < 5; ++file) {
        DirectoryQuota quota(directory_, kMb);
        for (int n = 0; n < 100 && quota.Take(700); ++n) taken += 700;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(taken, kMb);
  EXPECT_GT(taken, kMb / 2);
}

TEST_F(DirectoryQuotaTest, WhatAKilledProcessTookStaysTaken) {
  DirectoryQuota mine(directory_, kMb);
  const pid_t child = fork();
  if (child == 0) {
    DirectoryQuota quota(directory_, kMb);
    _exit(quota.Take(kMb / 2) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_LE(TakeAll(&mine, 1000), kMb / 2);
}

TEST_F(DirectoryQuotaTest, WhatLiesThereCounts) {
  WriteTrace("1-0.ewt", kMb / 2);
  WriteTrace("other", kMb);
  {
    DirectoryQuota quota(directory_, kMb);
    const uint64_t taken = TakeAll(&quota, 1000);
    EXPECT_LE(taken, kMb / 2);
    EXPECT_GT(taken, kMb / 2 - 5096);
  }
  std::filesystem::remove(directory_ + "/1-0.ewt");
  DirectoryQuota quota(directory_, kMb);
  EXPECT_GT(TakeAll(&quota, 1000), kMb - 5096) << "until it is removed";
}

TEST_F(DirectoryQuotaTest, TheLastOneLeavesNothing) {
  auto first = std::make_unique<DirectoryQuota>(directory_, kMb);
  auto second = std::make_unique<DirectoryQuota>(directory_, kMb);
  EXPECT_TRUE(first->Take(1) && second->Take(1));
  first.reset();
  EXPECT_EQ(Files(), 1u);
  second.reset();
  EXPECT_EQ(Files(), 0u);
}

TEST_F(DirectoryQuotaTest, WithoutALedgerEachKeepsToIt) {
  DirectoryQuota quota(directory_ + "/none", kMb);
  EXPECT_LE(TakeAll(&quota, 1000), kMb);
  DirectoryQuota unbounded;
  EXPECT_TRUE(unbounded.Take(uint64_t{1} << 40));
}

TEST_F(DirectoryQuotaTest, ThreadsWithoutAFileAreCounted) {
  EXPECT_EQ(UnrecordedThreads(directory_), 0u);
  NoteUnrecordedThread(directory_);
  NoteUnrecordedThread(directory_);
  EXPECT_EQ(UnrecordedThreads(directory_), 2u);
}

}  // namespace
}  // namespace edgewise
