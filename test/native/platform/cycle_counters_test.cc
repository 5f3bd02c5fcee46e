#include "platform/cycle_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <thread>

#include "test/native/platform/fake_papi.h"

namespace edgewise {
namespace {

using testing::HasSubstr;

class CycleCountersTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("FAKE_PAPI_FAILS");
    setenv("FAKE_PAPI_STEP", "3000", 1);
  }
};

TEST_F(CycleCountersTest, CountsBetweenReads) {
  CycleCounters counters(FakePapi());
  ASSERT_EQ(counters.unavailable(), "");
  const auto before = counters.Read();
  const auto after = counters.Read();
  ASSERT_TRUE(before.has_value() && after.has_value());
  EXPECT_EQ(after->instructions - before->instructions, 3000u);
  EXPECT_EQ(after->cycles - before->cycles, 2000u);
}

TEST_F(CycleCountersTest, SaysWhatIsMissing) {
  CycleCounters none("/nowhere/libpapi.so");
  EXPECT_THAT(none.unavailable(), HasSubstr("/nowhere/libpapi.so"));
  EXPECT_THAT(none.unavailable(), HasSubstr("libpapi7.0"));
  EXPECT_FALSE(none.Read().has_value());
  CycleCounters other("libc.so.6");
  EXPECT_EQ(other.unavailable(), "libc.so.6 is not PAPI");
}

TEST_F(CycleCountersTest, SaysWhyPapiCannot) {
  for (const char* const function : {"init", "add", "start"}) {
    setenv("FAKE_PAPI_FAILS", function, 1);
    CycleCounters counters(FakePapi());
    EXPECT_THAT(counters.unavailable(), HasSubstr("an error")) << function;
    EXPECT_FALSE(counters.Read().has_value());
  }
  setenv("FAKE_PAPI_FAILS", "add", 1);
  EXPECT_THAT(CycleCounters(FakePapi()).unavailable(),
              HasSubstr("(perf_event: no counters)"));
}

TEST_F(CycleCountersTest, AReadThatFailsIsNoCount) {
  CycleCounters counters(FakePapi());
  setenv("FAKE_PAPI_FAILS", "read", 1);
  EXPECT_FALSE(counters.Read().has_value());
}

// The real one, whether this processor counts or not.
TEST_F(CycleCountersTest, TheInstalledOneCountsOrSaysWhyNot) {
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      CycleCounters counters;
      const auto before = counters.Read();
      volatile uint64_t sum = 0;
      for (uint64_t n = 0; n < 1'000'000; ++n) sum = sum + n;
      const auto after = counters.Read();
      ASSERT_EQ(before.has_value(), counters.unavailable().empty());
      if (!before.has_value()) return;
      EXPECT_GT(after->instructions - before->instructions, 1'000'000u);
      EXPECT_GT(after->cycles, before->cycles);
    }).join();
  }
}

}  // namespace
}  // namespace edgewise
