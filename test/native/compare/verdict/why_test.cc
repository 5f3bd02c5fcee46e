#include "compare/verdict/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compare/verdict/comparison.h"
#include "test/native/compare/sides.h"

namespace edgewise {
namespace {

constexpr int64_t kAnotherTime = 1'700'000'000'000'000'000 + 1'000'000'000'000;

// Half of each latency is I/O, of several dependencies; a quarter is queueing
// behind one cause.
Side WithDetails(Side side, size_t dependencies, double slower) {
  for (Run& run : side.runs) {
    for (ComparedRequest& request : run.requests) {
      const float more_ns =
          static_cast<float>(slower - 1) * request.parts_ns[0];
      request.parts_ns[0] += more_ns;
      request.latency_ns += more_ns;
      request.first_detail = static_cast<uint32_t>(run.details.size());
      request.details = static_cast<uint32_t>(dependencies) + 1;
      for (uint32_t i = 0; i < dependencies; ++i) {
        const float ns =
            (request.parts_ns[0] - more_ns) / static_cast<float>(dependencies);
        run.details.push_back({i, i == 0 ? ns + more_ns : ns});
      }
      run.details.push_back(
          {static_cast<uint32_t>(dependencies), request.parts_ns[1]});
    }
  }
  return side;
}

SideNames NamesOf(size_t dependencies) {
  SideNames names;
  for (size_t i = 0; i < dependencies; ++i) {
    names.details.push_back({LatencyPart::kIo, "redis " + std::to_string(i)});
  }
  names.details.push_back({LatencyPart::kQueue, "GET /"});
  return names;
}

double SumOf(const Why& why, LatencyPart part) {
  double ns = 0;
  for (const DetailDifference& each : why.details) {
    if (each.part == part) ns += each.ns.value;
  }
  return ns;
}

TEST(WhyTest, TheSlowerDependencyIsToldFirstAndAllSumToTheirParts) {
  const SideNames names = NamesOf(9);
  const Comparison found = Compare(
      WithDetails(MadeSide({.seed = 1}), 9, 1),
      WithDetails(MadeSide({.seed = 2, .begin_ns = kAnotherTime}), 9, 1.5),
      {.resamples = 400, .names = &names});
  for (const Why* why : {&found.all, &found.tail}) {
    ASSERT_FALSE(why->details.empty());
    EXPECT_EQ(names.details[why->details[0].detail].name, "redis 0");
    EXPECT_TRUE(why->details[0].ns.IsSure());
    for (const PartDifference& part : why->parts) {
      if (part.part != LatencyPart::kIo && part.part != LatencyPart::kQueue) {
        continue;
      }
      EXPECT_NEAR(SumOf(*why, part.part), part.ns.value,
                  1e-3 * (part.a_ns + part.b_ns));
    }
  }
  size_t told = 0;
  bool others = false;
  for (const DetailDifference& each : found.all.details) {
    if (each.part != LatencyPart::kIo) continue;
    ++told;
    others |= each.detail == DetailDifference::kOthers;
  }
  EXPECT_EQ(told, CompareOptions{}.told + 1);
  EXPECT_TRUE(others);
}

TEST(WhyTest, WithoutNamesThereAreNoDetails) {
  const Comparison found = Compare(
      MadeSide({.seed = 1}), MadeSide({.seed = 2, .begin_ns = kAnotherTime}),
      {.resamples = 400});
  EXPECT_EQ(found.all.parts.size(), kLatencyParts);
  EXPECT_TRUE(found.all.details.empty());
}

}  // namespace
}  // namespace edgewise
