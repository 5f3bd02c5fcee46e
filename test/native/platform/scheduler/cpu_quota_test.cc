#include "platform/scheduler/cpu_quota.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

namespace edgewise {
namespace {

// A tree of control groups as the kernel shows it.
class CpuQuotaTest : public ::testing::Test {
 protected:
  CpuQuotaTest()
      : root_(::testing::TempDir() + "/cpu_quota_test." +
              std::to_string(getpid())) {
    std::filesystem::remove_all(root_);
  }
  ~CpuQuotaTest() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const std::string root_;
};

constexpr const char* kVersion1 =
    "30 25 0:26 / /cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup "
    "rw,cpu,cpuacct\n";
constexpr const char* kVersion2 =
    "29 25 0:25 / /cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "
    "rw,nsdelegate\n";

TEST_F(CpuQuotaTest, OfVersion1WithTheGroupsAbove) {
  const std::string top = "/cgroup/cpu,cpuacct";
  Write(top + "/cpu.cfs_quota_us", "-1\n");
  Write(top + "/pod/cpu.cfs_quota_us", "50000\n");
  Write(top + "/pod/cpu.cfs_period_us", "100000\n");
  Write(top + "/pod/cpu.stat",
        "nr_periods 10\nnr_throttled 2\nthrottled_time 3000000\n");
  Write(top + "/pod/app/cpu.cfs_quota_us", "30000\n");
  Write(top + "/pod/app/cpu.cfs_period_us", "100000\n");
  Write(top + "/pod/app/cpu.stat",
        "nr_periods 358\nnr_throttled 350\nthrottled_time 20500000000\n");
  const CpuQuota quota = CpuQuota::Find(
      "9:name=systemd:/\n2:cpu,cpuacct:/pod/app\n0::/\n", kVersion1, root_);
  ASSERT_EQ(quota.limits().size(), 2u);
  EXPECT_EQ(quota.limits()[1].quota_us, 30000);
  EXPECT_EQ(quota.limits()[1].period_us, 100000);
  EXPECT_DOUBLE_EQ(quota.processors(), 0.3) << "the smallest of all groups";
  const CpuQuota::Throttled throttled = quota.Read();
  EXPECT_EQ(throttled.periods, 368u);
  EXPECT_EQ(throttled.throttled, 352u);
  EXPECT_EQ(throttled.ns, 20'503'000'000);
}

TEST_F(CpuQuotaTest, OfVersion2) {
  Write("/cgroup/pod/cpu.max", "max 100000\n");
  Write("/cgroup/pod/app/cpu.max", "30000 100000\n");
  Write("/cgroup/pod/app/cpu.stat",
        "usage_usec 10\nuser_usec 8\nsystem_usec 2\nnr_periods 7\n"
        "nr_throttled 5\nthrottled_usec 1500\n");
  const CpuQuota quota = CpuQuota::Find("0::/pod/app\n", kVersion2, root_);
  ASSERT_EQ(quota.limits().size(), 1u);
  EXPECT_EQ(quota.limits()[0].quota_us, 30000);
  EXPECT_EQ(quota.Read().throttled, 5u);
  EXPECT_EQ(quota.Read().ns, 1'500'000);
}

// A container that shares the host's name space of groups sees its own at the
// mount point; one with its own name space is at the root.
TEST_F(CpuQuotaTest, InAContainer) {
  Write("/cgroup/cpu.max", "20000 100000\n");
  Write("/cgroup/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_usec 9\n");
  const std::string mounts =
      "29 25 0:25 /docker/abc /cgroup ro - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(CpuQuota::Find("0::/docker/abc\n", mounts, root_).Read().ns, 9000);
  EXPECT_EQ(CpuQuota::Find("0::/\n", kVersion2, root_).Read().ns, 9000);
  EXPECT_EQ(CpuQuota::Find("0::/../other\n", kVersion2, root_).Read().ns, 9000);
}

TEST_F(CpuQuotaTest, NoneWhereThereIsNone) {
  EXPECT_FALSE(CpuQuota::Find("", "", root_).any());
  EXPECT_FALSE(CpuQuota::Find("0::/pod\n", "nonsense\n", root_).any());
  EXPECT_FALSE(CpuQuota::Find("0::/pod\n", kVersion2, root_).any());
  EXPECT_EQ(CpuQuota().Read().ns, 0);
  EXPECT_TRUE(std::isinf(CpuQuota().processors()));
  CpuQuota::Find();  // this process's own: whatever there is
}

}  // namespace
}  // namespace edgewise
