#include "boost/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/boost/fake_sysfs.h"

namespace edgewise {
namespace {

using testing::HasSubstr;

constexpr Frequencies kPaper = {2'600'000, 3'300'000, 4'000'000};

TEST(ModelledEnergyTest, GivesThePapersTwoPoints) {
  EXPECT_NEAR(ModelledEnergy({0, 5, 0}, kPaper), 1.676, 0.005 * 1.676);
  EXPECT_NEAR(ModelledEnergy({0, 0, 7}, kPaper), 2.712, 0.005 * 2.712);
}

TEST(ModelledEnergyTest, IsTheMeanOverTheTime) {
  EXPECT_DOUBLE_EQ(ModelledEnergy({100, 0, 0}, kPaper), 1);
  const double high = ModelledEnergy({0, 0, 1}, kPaper);
  EXPECT_DOUBLE_EQ(ModelledEnergy({90, 0, 10}, kPaper), 0.9 + 0.1 * high);
}

TEST(ModelledEnergyTest, IsOneWhereNothingIsKnown) {
  EXPECT_EQ(ModelledEnergy({0, 0, 0}, kPaper), 1);
  EXPECT_EQ(ModelledEnergy({1, 1, 1}, {2'600'000, 0, 4'000'000}), 1);
  EXPECT_EQ(ModelledEnergy({1, 1, 1}, {}), 1);
}

class EnergyCountersTest : public testing::Test {
 protected:
  void AddZone(const std::string& zone, const std::string& name,
               const std::string& energy_uj) const {
    sysfs_.Write("class/powercap/" + zone + "/name", name);
    sysfs_.Write("class/powercap/" + zone + "/max_energy_range_uj", "1000000");
    sysfs_.Write("class/powercap/" + zone + "/energy_uj", energy_uj);
  }

  FakeSysfs sysfs_;
};

TEST_F(EnergyCountersTest, AddsUpThePackagesAndNothingElse) {
  AddZone("intel-rapl:0", "package-0", "1000");
  AddZone("intel-rapl:0:0", "core", "500");
  AddZone("intel-rapl:1", "package-1", "70");
  AddZone("intel-rapl:2", "psys", "9000");
  AddZone("intel-rapl-mmio:0", "package-0", "1000");
  EnergyCounters counters(sysfs_.root());
  EXPECT_EQ(counters.unavailable(), "");
  EXPECT_EQ(counters.ReadUj(), 0);
  AddZone("intel-rapl:0", "package-0", "1300");
  AddZone("intel-rapl:0:0", "core", "800");
  AddZone("intel-rapl:1", "package-1", "75");
  AddZone("intel-rapl:2", "psys", "9900");
  EXPECT_EQ(counters.ReadUj(), 305);
}

TEST_F(EnergyCountersTest, GoesOnWhenACounterWraps) {
  AddZone("intel-rapl:0", "package-0", "999900");
  EnergyCounters counters(sysfs_.root());
  AddZone("intel-rapl:0", "package-0", "50");
  EXPECT_EQ(counters.ReadUj(), 150);
  AddZone("intel-rapl:0", "package-0", "60");
  EXPECT_EQ(counters.ReadUj(), 160);
}

TEST_F(EnergyCountersTest, SaysWhyThereIsNothing) {
  EnergyCounters counters(sysfs_.root());
  EXPECT_THAT(counters.unavailable(), HasSubstr("no package counter"));
  EXPECT_EQ(counters.ReadUj(), std::nullopt);
}

TEST_F(EnergyCountersTest, NamesTheFileThatCannotBeRead) {
  AddZone("intel-rapl:0", "package-0", "1");
  sysfs_.Link("class/powercap/intel-rapl:0/energy_uj", "/proc/self/mem");
  const EnergyCounters counters(sysfs_.root());
  EXPECT_THAT(counters.unavailable(), HasSubstr("intel-rapl:0/energy_uj"));
}

TEST_F(EnergyCountersTest, APackageThatGoesAwayIsNotCountedAsZero) {
  AddZone("intel-rapl:0", "package-0", "100");
  AddZone("intel-rapl:1", "package-1", "100");
  EnergyCounters counters(sysfs_.root());
  sysfs_.Remove("class/powercap/intel-rapl:1");
  AddZone("intel-rapl:0", "package-0", "130");
  EXPECT_EQ(counters.ReadUj(), std::nullopt);
  AddZone("intel-rapl:1", "package-1", "110");
  EXPECT_EQ(counters.ReadUj(), 40);
}

}  // namespace
}  // namespace edgewise
