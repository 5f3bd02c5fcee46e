#include "whatif/prediction/input_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/whatif/model_kit.h"

namespace edgewise {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Requests of POST /sum that take 1000 ns and `per_byte` for each of their
// 100, 200, ... 1000 bytes.
class InputChangeTest : public ::testing::Test {
 protected:
  InputChangeTest() : route_(routes_.Intern("POST /sum")) {}

  void AddRequests(int count, float per_byte) {
    for (int i = 0; i < count; ++i) {
      const float bytes = static_cast<float>(i % 10 + 1) * 100;
      Add(&model_, i * 100'000, {Only(1000 + per_byte * bytes)});
      model_.requests.back().route = route_;
      model_.requests.back().in_bytes = bytes;
    }
  }
  absl::Status Scale(double by) {
    return ScaleInput("POST /sum", by, routes_, &model_, &assumed_);
  }

  RouteTable routes_;
  uint32_t route_;
  LoopModel model_;
  std::vector<std::string> assumed_;
};

TEST_F(InputChangeTest, TwiceTheSizeTakesAsMuchLonger) {
  AddRequests(40, 10);
  ASSERT_TRUE(Scale(2).ok());
  EXPECT_NEAR(model_.jobs[0].own_ns, 1000 + 10 * 200, 1);
  EXPECT_NEAR(model_.jobs[9].own_ns, 1000 + 10 * 2000, 10);
  // On average 1100 bytes: more than the largest.
  EXPECT_THAT(assumed_, SizeIs(2));
  EXPECT_THAT(assumed_[0], HasSubstr("1000 bytes"));
}

TEST_F(InputChangeTest, HalfTheSizeTakesAsMuchLess) {
  AddRequests(40, 10);
  ASSERT_TRUE(Scale(0.5).ok());
  EXPECT_NEAR(model_.jobs[9].own_ns, 1000 + 10 * 500, 1);
  EXPECT_THAT(assumed_, SizeIs(1));
}

TEST_F(InputChangeTest, OneOfUnknownSizeIsAsTheOthersOnAverage) {
  AddRequests(40, 10);
  model_.requests[0].in_bytes = -1;
  const float before = model_.jobs[0].own_ns;
  ASSERT_TRUE(Scale(2).ok());
  EXPECT_NEAR(model_.jobs[0].own_ns / before, 12.0 / 6.5, 0.05);
}

TEST_F(InputChangeTest, WithoutSizesItIsRefused) {
  AddRequests(40, 10);
  for (ModelRequest& request : model_.requests) request.in_bytes = -1;
  const absl::Status status = Scale(2);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("the sizes of 0 requests"));
}

TEST_F(InputChangeTest, WhereExecutionDoesNotGrowWithItItIsRefused) {
  AddRequests(40, 0);
  const absl::Status status = Scale(2);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("does not grow with it"));
}

TEST_F(InputChangeTest, AnotherRouteIsNotThere) {
  AddRequests(40, 10);
  EXPECT_TRUE(
      absl::IsNotFound(ScaleInput("GET /b", 2, routes_, &model_, &assumed_)));
}

}  // namespace
}  // namespace edgewise
