#include "boost/actuator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "boost/actuator/log_actuator.h"
#include "test/native/boost/fake_sysfs.h"

namespace edgewise {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class ActuatorTest : public testing::Test {
 protected:
  ActuatorTest() { config_.root = sysfs_.root(); }

  auto Make(const std::string& name) {
    config_.name = name;
    return MakeActuator(config_);
  }

  std::string MessageOf(const std::string& name) {
    return std::string(Make(name).status().message());
  }

  // intel_pstate in active mode: no userspace, a preference.
  void AddPreference(const std::string& value) const {
    sysfs_.AddPolicy(0);
    sysfs_.WithoutUserspace(0);
    sysfs_.Write(FakeSysfs::Policy(0, "energy_performance_preference"), value);
    sysfs_.Write(
        FakeSysfs::Policy(0, "energy_performance_available_preferences"),
        "default performance balance_performance balance_power power");
  }

  std::string Preference() const {
    return sysfs_.Read(FakeSysfs::Policy(0, "energy_performance_preference"));
  }

  FakeSysfs sysfs_;
  ActuatorConfig config_;
};

TEST_F(ActuatorTest, EveryNameIsTakenAndOthersAreNot) {
  for (const std::string_view name : ActuatorNames()) {
    const auto made = Make(std::string(name));
    EXPECT_FALSE(absl::IsInvalidArgument(made.status())) << made.status();
    if (made.ok()) EXPECT_EQ((*made)->name(), name);
  }
  const absl::Status status = Make("turbo").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("\"turbo\""), HasSubstr("auto, "),
                    HasSubstr("cpufreq"), HasSubstr("none")));
}

TEST_F(ActuatorTest, FrequenciesMustAscend) {
  config_.frequencies = {3'000'000, 0, 2'000'000};
  for (const std::string name : {"auto", "none", "cpufreq"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Make(name).status())) << name;
    EXPECT_THAT(MessageOf(name),
                HasSubstr("high = 2000000 kHz is below low = 3000000"));
  }
}

TEST_F(ActuatorTest, AutoSaysEveryReasonWhenNothingWorks) {
  const absl::Status status = Make("auto").status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("no actuator works here"), HasSubstr("cpufreq: "),
                    HasSubstr("epp: "), HasSubstr("uclamp: ")));
}

TEST_F(ActuatorTest, AutoTakesCpufreqFirst) {
  AddPreference("balance_power");
  const auto actuator = Make("auto");
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->name(), "cpufreq");
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  EXPECT_EQ(sysfs_.Read(FakeSysfs::Policy(0, "scaling_min_freq")), "4000000");
  EXPECT_GT((*actuator)->call_ns(), 0);
  EXPECT_GE((*actuator)->transition_ns(), 0);
  EXPECT_EQ((*actuator)->frequencies().back(), 4'000'000);
  (*actuator)->Restore();
  EXPECT_EQ(sysfs_.Read(FakeSysfs::Policy(0, "scaling_min_freq")), "1200000");
}

TEST_F(ActuatorTest, AutoGoesOnToEppAndSaysWhy) {
  AddPreference("balance_power");
  sysfs_.Remove(FakeSysfs::Policy(0, "scaling_min_freq"));
  const auto actuator = Make("auto");
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->name(), "epp");
  EXPECT_THAT((*actuator)->description(),
              AllOf(HasSubstr("taken because of"), HasSubstr("cpufreq: "),
                    HasSubstr("scaling_min_freq")));
}

TEST_F(ActuatorTest, AutoDoesNotHideAWrongFrequency) {
  AddPreference("balance_power");
  config_.frequencies = {0, 0, 9'000'000};
  const absl::Status status = Make("auto").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("1200000 to 4000000"));
}

TEST_F(ActuatorTest, AMissingGuardianIsAReason) {
  AddPreference("balance_power");
  config_.guardian_program = sysfs_.root() + "/absent";
  EXPECT_THAT(MessageOf("cpufreq"), HasSubstr("guardian"));
  EXPECT_EQ(sysfs_.Read(FakeSysfs::Policy(0, "scaling_min_freq")), "1200000");
  EXPECT_EQ(Preference(), "balance_power");
}

TEST_F(ActuatorTest, EppPrefersPerformanceWhileItBoosts) {
  AddPreference("balance_power");
  auto actuator = Make("epp");
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ(Preference(), "balance_power");
  EXPECT_EQ((*actuator)->Set(Level::kMid), absl::OkStatus());
  EXPECT_EQ(Preference(), "balance_performance");
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  EXPECT_EQ(Preference(), "performance");
  actuator->reset();
  EXPECT_EQ(Preference(), "balance_power");
}

TEST_F(ActuatorTest, EppNeedsAPreferenceThatCanBeRaised) {
  AddPreference("performance");
  EXPECT_THAT(MessageOf("epp"), HasSubstr("nothing is left to raise"));
  AddPreference("balance_power");
  sysfs_.Write(FakeSysfs::Policy(0, "energy_performance_available_preferences"),
               "default");
  EXPECT_THAT(MessageOf("epp"), HasSubstr("does not name performance"));
  sysfs_.Remove(FakeSysfs::Policy(0, "energy_performance_preference"));
  EXPECT_THAT(MessageOf("epp"), HasSubstr("knows no energy preference"));
}

TEST_F(ActuatorTest, UclampNeedsSchedutil) {
  sysfs_.AddPolicy(0);
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_governor"), "powersave");
  EXPECT_THAT(MessageOf("uclamp"),
              AllOf(HasSubstr("only the governor schedutil"),
                    HasSubstr("has powersave"), HasSubstr("echo schedutil")));
}

// The word of the kernel's sched_attr that holds the least utilization.
uint32_t ClampMin() {
  std::array<uint32_t, 14> attributes{};
  EXPECT_EQ(
      syscall(SYS_sched_getattr, 0, attributes.data(), sizeof(attributes), 0),
      0);
  return attributes[12];
}

TEST_F(ActuatorTest, UclampRaisesTheThreadOrSaysThatTheKernelCannot) {
  sysfs_.AddPolicy(0);
  const uint32_t before = ClampMin();
  auto actuator = Make("uclamp");
  if (!actuator.ok()) {
    EXPECT_TRUE(absl::IsUnavailable(actuator.status()));
    EXPECT_THAT(std::string(actuator.status().message()),
                HasSubstr("CONFIG_UCLAMP_TASK"));
    return;
  }
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  EXPECT_EQ(ClampMin(), 1024);
  actuator->reset();
  EXPECT_EQ(ClampMin(), before);
}

TEST_F(ActuatorTest, NoneDoesNothing) {
  const auto actuator = Make("none");
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  EXPECT_EQ((*actuator)->call_ns(), 0);
  EXPECT_EQ((*actuator)->transition_ns(), 0);
}

TEST(LogActuatorTest, CountsAndPrintsOneLine) {
  std::vector<std::string> lines;
  {
    LogActuator log({},
                    [&](std::string_view line) { lines.emplace_back(line); });
    EXPECT_EQ(log.Set(Level::kLow), absl::OkStatus());  // holds already
    EXPECT_EQ(log.Set(Level::kHigh), absl::OkStatus());
    EXPECT_EQ(log.Set(Level::kHigh), absl::OkStatus());
    EXPECT_EQ(log.Set(Level::kMid), absl::OkStatus());
    EXPECT_EQ(log.Set(Level::kHigh), absl::OkStatus());
    ASSERT_EQ(log.requests().size(), 3);
    EXPECT_EQ(log.requests()[1].level, Level::kMid);
    EXPECT_LE(log.requests()[1].at_ns, log.requests()[2].at_ns);
    log.Restore();
    EXPECT_EQ(log.Set(Level::kLow), absl::OkStatus());
  }
  EXPECT_THAT(lines, testing::ElementsAre(
                         "edgewise: boost: actuator log: requests for low: 0, "
                         "mid: 1, high: 2"));
}

TEST(LogActuatorTest, KeepsABoundedList) {
  LogActuator log({}, [](std::string_view) {});
  for (size_t i = 0; i < LogActuator::kKept; ++i) {
    EXPECT_EQ(log.Set(Level::kHigh), absl::OkStatus());
    EXPECT_EQ(log.Set(Level::kLow), absl::OkStatus());
  }
  EXPECT_EQ(log.requests().size(), LogActuator::kKept);
  EXPECT_THAT(log.counts(), Contains(LogActuator::kKept).Times(2));
}

}  // namespace
}  // namespace edgewise
