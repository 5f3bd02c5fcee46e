#include "boost/gc_instructions.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "boost/controller_stats.h"
#include "test/native/platform/fake_papi.h"

namespace edgewise {
namespace {

TEST(GcInstructionsTest, NestedCollectionsCountOnce) {
  setenv("FAKE_PAPI_STEP", "3000", 1);
  GcInstructions gc(FakePapi());
  ASSERT_EQ(gc.unavailable(), "");
  gc.End();  // Of one that had begun before.
  gc.Begin();
  gc.Begin();
  gc.End();
  gc.End();
  gc.Begin();
  gc.End();
  EXPECT_EQ(gc.sums().collections, 2u);
  EXPECT_EQ(gc.sums().instructions, 6000u);
  EXPECT_EQ(gc.sums().cycles, 4000u);
}

TEST(GcInstructionsTest, TheStatisticsTellTheRatioOrWhyNot) {
  ControllerStats stats;
  auto told = [&] {
    return nlohmann::json::parse(ToJson(stats))["gc_counters"];
  };
  EXPECT_TRUE(told()["ipc"].is_null()) << "no collection yet";
  stats.gc = {2, 6000, 4000};
  EXPECT_EQ(told()["ipc"], 1.5);
  EXPECT_EQ(told()["collections"], 2);
  stats.gc_counters_unavailable = "a virtual machine";
  EXPECT_TRUE(told()["ipc"].is_null());
  EXPECT_EQ(told()["unavailable"], "a virtual machine");
}

}  // namespace
}  // namespace edgewise
