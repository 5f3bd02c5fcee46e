#include "boost/actuator/cpufreq_actuator.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "boost/transition.h"
#include "test/native/boost/fake_sysfs.h"

namespace edgewise {
namespace {

using testing::HasSubstr;

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

class CpufreqActuatorTest : public testing::Test {
 protected:
  CpufreqActuatorTest() {
    sysfs_.AddPolicy(0);
    sysfs_.AddPolicy(1);
    config_.root = sysfs_.root();
  }

  auto Make() const { return MakeCpufreqActuator(config_); }

  std::string Value(int policy, const std::string& file) const {
    return sysfs_.Read(FakeSysfs::Policy(policy, file));
  }

  void ExpectUntouched(int policy) const {
    EXPECT_EQ(Value(policy, "scaling_governor"), "schedutil");
    EXPECT_EQ(Value(policy, "scaling_min_freq"), "1200000");
  }

  FakeSysfs sysfs_;
  ActuatorConfig config_;
};

// A file whose writes can be made to fail while it is open.
class Sealable {
 public:
  Sealable() : fd_(memfd_create("setspeed", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_GE(fd_, 0);
  }
  ~Sealable() { close(fd_); }
  Sealable(const Sealable&) = delete;
  Sealable& operator=(const Sealable&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  void Seal() const { EXPECT_EQ(fcntl(fd_, F_ADD_SEALS, F_SEAL_WRITE), 0); }

 private:
  int fd_;
};

TEST_F(CpufreqActuatorTest, SetsTheSpeedByTheGovernorUserspace) {
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->name(), "cpufreq");
  EXPECT_THAT((*actuator)->description(), HasSubstr("governor userspace"));
  EXPECT_THAT((*actuator)->description(), HasSubstr("2600/3300/4000 MHz"));
  const Frequencies hardware = {2'600'000, 3'300'000, 4'000'000};
  EXPECT_EQ((*actuator)->frequencies(), hardware);
  EXPECT_GT((*actuator)->call_ns(), 0);
  for (int policy = 0; policy < 2; ++policy) {
    EXPECT_EQ(Value(policy, "scaling_governor"), "userspace");
    EXPECT_EQ(Value(policy, "scaling_setspeed"), "2600000");
  }
  for (const auto& [level, khz] :
       {std::pair(Level::kHigh, "4000000"), std::pair(Level::kMid, "3300000"),
        std::pair(Level::kLow, "2600000")}) {
    EXPECT_EQ((*actuator)->Set(level), absl::OkStatus());
    EXPECT_EQ(Value(0, "scaling_setspeed"), khz);
    EXPECT_EQ(Value(1, "scaling_setspeed"), khz);
  }
}

TEST_F(CpufreqActuatorTest, RestoresOnceAndForAll) {
  auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  (*actuator)->Restore();
  ExpectUntouched(0);
  ExpectUntouched(1);
  EXPECT_EQ((*actuator)->Set(Level::kMid), absl::OkStatus());
  EXPECT_EQ(Value(0, "scaling_setspeed"), "4000000");
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_governor"), "performance");
  (*actuator)->Restore();
  actuator->reset();
  EXPECT_EQ(Value(0, "scaling_governor"), "performance");
}

TEST_F(CpufreqActuatorTest, RestoresTheSpeedOfAGovernorUserspace) {
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_governor"), "userspace");
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_setspeed"), "1800000");
  auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ(Value(0, "scaling_setspeed"), "2600000");
  actuator->reset();
  EXPECT_EQ(Value(0, "scaling_governor"), "userspace");
  EXPECT_EQ(Value(0, "scaling_setspeed"), "1800000");
  ExpectUntouched(1);
}

TEST_F(CpufreqActuatorTest, RaisesTheMinimumWithoutUserspace) {
  sysfs_.WithoutUserspace(0);
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_min_freq"), "1500000");
  auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_THAT((*actuator)->description(),
              HasSubstr("scaling_min_freq under the governor schedutil"));
  EXPECT_EQ(Value(0, "scaling_min_freq"), "1500000");
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  EXPECT_EQ(Value(0, "scaling_min_freq"), "4000000");
  EXPECT_EQ(Value(1, "scaling_min_freq"), "4000000");
  EXPECT_EQ((*actuator)->Set(Level::kMid), absl::OkStatus());
  EXPECT_EQ(Value(0, "scaling_min_freq"), "3300000");
  EXPECT_EQ((*actuator)->Set(Level::kLow), absl::OkStatus());
  EXPECT_EQ(Value(0, "scaling_min_freq"), "1500000");
  EXPECT_EQ(Value(1, "scaling_min_freq"), "1200000");
  EXPECT_EQ(Value(1, "scaling_governor"), "schedutil");
}

TEST_F(CpufreqActuatorTest, TakesTheNominalFrequencyThatThereIs) {
  for (int policy = 0; policy < 2; ++policy) {
    sysfs_.Remove(FakeSysfs::Policy(policy, "base_frequency"));
  }
  const auto middle = Make();
  ASSERT_TRUE(middle.ok()) << middle.status();
  const Frequencies expected = {2'600'000, 3'300'000, 4'000'000};
  EXPECT_EQ((*middle)->frequencies(), expected);  // (1.2 + 4.0) / 2 GHz
  (*middle)->Restore();
  const std::string cpu = Value(0, "affected_cpus");
  sysfs_.Write("devices/system/cpu/cpu" + cpu + "/acpi_cppc/nominal_freq",
               "2000");
  const auto cppc = Make();
  ASSERT_TRUE(cppc.ok()) << cppc.status();
  EXPECT_EQ((*cppc)->frequencies().front(), 2'000'000);
}

TEST_F(CpufreqActuatorTest, KeepsToTheAdministratorsMaximum) {
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_max_freq"), "3000000");
  sysfs_.Write(FakeSysfs::Policy(1, "scaling_max_freq"), "3400000");
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->frequencies().back(), 3'400'000);
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  EXPECT_EQ(Value(0, "scaling_setspeed"), "3000000");
  EXPECT_EQ(Value(1, "scaling_setspeed"), "3400000");
}

TEST_F(CpufreqActuatorTest, RefusesFrequenciesOutOfRange) {
  config_.frequencies = {2'600'000, 0, 4'500'000};
  absl::Status status = Make().status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(MessageOf(status),
            "frequency high = 4500000 kHz: this processor allows 1200000 to "
            "4000000 kHz");
  config_.frequencies = {0, 0, 2'000'000};
  status = Make().status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(MessageOf(status),
            "frequency high = 2000000 kHz is below low = 2600000 kHz: allowed "
            "is low <= mid <= high");
  ExpectUntouched(0);
  config_.frequencies = {2'000'000, 2'200'000, 3'000'000};
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->frequencies(), config_.frequencies);
}

TEST_F(CpufreqActuatorTest, OnlyTakesTheDomainsOfItsThread) {
  sysfs_.AddPolicy(2);
  sysfs_.Write(FakeSysfs::Policy(2, "affected_cpus"), "9000");
  sysfs_.AddPolicy(3);
  sysfs_.Write(FakeSysfs::Policy(3, "affected_cpus"), "");  // all offline
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  ExpectUntouched(2);
  ExpectUntouched(3);
}

TEST_F(CpufreqActuatorTest, SaysThatThereIsNoDriver) {
  sysfs_.Remove("devices/system/cpu/cpufreq");
  const absl::Status status = Make().status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(MessageOf(status), HasSubstr("no cpufreq driver"));
  config_.loop_tid = 0x3fffffff;
  EXPECT_THAT(MessageOf(Make().status()), HasSubstr("1073741823"));
}

TEST_F(CpufreqActuatorTest, NamesTheFileThatIsMissingOrWrong) {
  sysfs_.Write(FakeSysfs::Policy(1, "cpuinfo_max_freq"), "fast");
  EXPECT_THAT(MessageOf(Make().status()),
              HasSubstr("cpuinfo_max_freq: \"fast\" is not a number"));
  sysfs_.Write(FakeSysfs::Policy(1, "cpuinfo_max_freq"), "0");
  EXPECT_THAT(MessageOf(Make().status()), HasSubstr("no frequencies between"));
  sysfs_.Remove(FakeSysfs::Policy(1, "cpuinfo_max_freq"));
  EXPECT_THAT(MessageOf(Make().status()), HasSubstr("cpuinfo_max_freq"));
  ExpectUntouched(0);
}

TEST_F(CpufreqActuatorTest, LeavesEverythingAsItWasWhenItCannotWrite) {
  sysfs_.Link(FakeSysfs::Policy(1, "scaling_setspeed"), "/dev/full");
  absl::Status status = Make().status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(MessageOf(status), HasSubstr("policy1/scaling_setspeed"));
  EXPECT_THAT(MessageOf(status), HasSubstr("No space left"));
  ExpectUntouched(0);
  ExpectUntouched(1);
  sysfs_.Remove(FakeSysfs::Policy(1, "scaling_setspeed"));
  sysfs_.Write(FakeSysfs::Policy(1, "scaling_setspeed/in-the-way"), "");
  status = Make().status();
  EXPECT_THAT(MessageOf(status), HasSubstr("Is a directory"));
  ExpectUntouched(0);
  ExpectUntouched(1);
}

TEST_F(CpufreqActuatorTest, TellsTheNextStepWithoutRights) {
  // Refused to root as well: a memfd sealed against writing.
  const Sealable sealed;
  sealed.Seal();
  sysfs_.Link(FakeSysfs::Policy(0, "scaling_setspeed"), sealed.path());
  const absl::Status status = Make().status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(MessageOf(status), HasSubstr("run edgewise boostd"));
  ExpectUntouched(0);
}

TEST_F(CpufreqActuatorTest, ReportsALostDomainOnceAndGoesOnWithTheOthers) {
  const Sealable speed;
  sysfs_.Link(FakeSysfs::Policy(0, "scaling_setspeed"), speed.path());
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  speed.Seal();
  const absl::Status status = (*actuator)->Set(Level::kHigh);
  EXPECT_THAT(MessageOf(status), HasSubstr("policy0/scaling_setspeed"));
  EXPECT_THAT(MessageOf(status), HasSubstr("is boosted no longer"));
  EXPECT_EQ(Value(1, "scaling_setspeed"), "4000000");
  ExpectUntouched(0);  // handed back at once
  EXPECT_EQ((*actuator)->Set(Level::kLow), absl::OkStatus());
  EXPECT_EQ(Value(1, "scaling_setspeed"), "2600000");
}

TEST_F(CpufreqActuatorTest, LeavesADomainToTheGovernorThatTookItOver) {
  const Sealable speed;
  sysfs_.Link(FakeSysfs::Policy(0, "scaling_setspeed"), speed.path());
  auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_governor"), "performance");
  speed.Seal();
  EXPECT_THAT(MessageOf((*actuator)->Set(Level::kHigh)),
              HasSubstr("is left to the governor performance"));
  actuator->reset();
  EXPECT_EQ(Value(0, "scaling_governor"), "performance");
  ExpectUntouched(1);
}

// Nothing was written since, so that nothing has failed.
TEST_F(CpufreqActuatorTest, RestoresNothingUnderAGovernorThatHasComeMeanwhile) {
  auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_governor"), "performance");
  actuator->reset();
  EXPECT_EQ(Value(0, "scaling_governor"), "performance");
  ExpectUntouched(1);
}

TEST_F(CpufreqActuatorTest, TakesNothingBackFromAnotherGovernor) {
  sysfs_.Remove(FakeSysfs::Policy(1));
  const Sealable speed;
  sysfs_.Link(FakeSysfs::Policy(0, "scaling_setspeed"), speed.path());
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  speed.Seal();
  EXPECT_FALSE((*actuator)->Set(Level::kHigh).ok());
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_governor"), "performance");
  EXPECT_THAT(MessageOf((*actuator)->Set(Level::kHigh)),
              HasSubstr("no CPU is left to boost"));
  EXPECT_EQ(Value(0, "scaling_governor"), "performance");
}

TEST_F(CpufreqActuatorTest, SaysWhenNoDomainIsLeft) {
  const Sealable first;
  const Sealable second;
  sysfs_.Link(FakeSysfs::Policy(0, "scaling_setspeed"), first.path());
  sysfs_.Link(FakeSysfs::Policy(1, "scaling_setspeed"), second.path());
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  first.Seal();
  second.Seal();
  const absl::Status both = (*actuator)->Set(Level::kHigh);
  EXPECT_THAT(MessageOf(both), HasSubstr("policy0"));
  EXPECT_THAT(MessageOf(both), HasSubstr("policy1"));
  EXPECT_FALSE((*actuator)->Set(Level::kHigh).ok()) << "it still is not";
  EXPECT_EQ((*actuator)->Set(Level::kLow), absl::OkStatus());
  ExpectUntouched(0);
  ExpectUntouched(1);
  // Gone altogether.
  sysfs_.Remove(FakeSysfs::Policy(0, "scaling_setspeed"));
  sysfs_.Remove(FakeSysfs::Policy(1, "scaling_setspeed"));
  EXPECT_THAT(MessageOf((*actuator)->Set(Level::kHigh)),
              HasSubstr("no CPU is left to boost"));
  ExpectUntouched(0);
}

TEST_F(CpufreqActuatorTest, TriesAgainWhatFailed) {
  sysfs_.Remove(FakeSysfs::Policy(1));
  const Sealable speed;
  sysfs_.Link(FakeSysfs::Policy(0, "scaling_setspeed"), speed.path());
  auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  speed.Seal();
  EXPECT_FALSE((*actuator)->Set(Level::kHigh).ok());
  ExpectUntouched(0);
  sysfs_.Remove(FakeSysfs::Policy(0, "scaling_setspeed"));
  sysfs_.Write(FakeSysfs::Policy(0, "scaling_setspeed"), "<unsupported>");
  EXPECT_EQ((*actuator)->Set(Level::kHigh), absl::OkStatus());
  EXPECT_EQ(Value(0, "scaling_governor"), "userspace");
  EXPECT_EQ(Value(0, "scaling_setspeed"), "4000000");
  actuator->reset();
  ExpectUntouched(0);
}

TEST_F(CpufreqActuatorTest, AValueWrittenByHalfIsAnError) {
  const auto actuator = Make();
  ASSERT_TRUE(actuator.ok()) << actuator.status();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit three_bytes{3, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &three_bytes), 0);
  const absl::Status status = (*actuator)->Set(Level::kHigh);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(MessageOf(status), HasSubstr("Input/output error"));
}

TEST_F(CpufreqActuatorTest, TimesOutOnFilesThatChangeNothing) {
  const auto word = Make();
  ASSERT_TRUE(word.ok()) << word.status();
  // A plain file changes no frequency: unless this machine's did by itself, the
  // driver's word is taken, and said to be.
  EXPECT_THAT((*word)->description(),
              testing::AnyOf(HasSubstr("transition 20 µs (the driver's word"),
                             HasSubstr("measured with a spin loop")));
  EXPECT_GE((*word)->transition_ns(), 0);
}

}  // namespace
}  // namespace edgewise
