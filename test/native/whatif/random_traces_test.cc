#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "test/native/analysis/random_trace.h"
#include "test/native/whatif/each_change.h"
#include "whatif/whatif.h"

// Whatever a trace says, a prediction ends, and its numbers are numbers.

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

void ExpectSane(const Json& value, const std::string& path) {
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    // In an estimate: what is no number.
    EXPECT_FALSE(value.is_array() && inner.is_null()) << path;
    ExpectSane(inner, absl::StrCat(path, "/", key));
  }
}

class RandomTracesTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(RandomTracesTest, GivesNumbers) {
  RandomTraceOptions trace;
  trace.seed = GetParam();
  trace.events = 300;
  trace.faults = GetParam() % 2 == 1;
  trace.patched = GetParam() % 3 == 1;
  const std::string bytes = RandomTrace(trace);
  const TraceBytes file{"1-0.ewt", bytes};
  WhatIfOptions options;
  options.skip_ns = 0;
  options.replications = 2;
  options.rank = true;
  options.goal = LatencyGoal{50, 1'000'000};
  for (const Scenario& scenario : EachChange()) {
    options.scenarios = {scenario};
    const auto json = BuildWhatIf({&file, 1}, options);
    if (!json.ok()) {
      EXPECT_TRUE(absl::IsNotFound(json.status())) << json.status();
      continue;
    }
    const Json found = Json::parse(*json);
    ExpectSane(found, "");
    const Json& fit = found["fit"];
    EXPECT_GE(fit["utilisation"].get<double>(), 0);
    EXPECT_LE(fit["utilisation"].get<double>(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTracesTest, ::testing::Range(0U, 12U));

}  // namespace
}  // namespace edgewise
