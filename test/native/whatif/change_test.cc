#include "whatif/prediction/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/whatif/model_kit.h"

namespace edgewise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Two requests of GET /a: 100, a wait of 1000 for redis, 100, another, 50.
class ChangeTest : public ::testing::Test {
 protected:
  ChangeTest() {
    route_ = routes_.Intern("GET /a");
    redis_ = dependencies_.Intern("redis", "10.0.0.7:6379");
    get_ = dependencies_.InternCall("redis GET");
    for (int i = 0; i < 2; ++i) {
      Job asks = Only(100);
      asks.end_ns = -1;
      Job again = After(0, 1000, 100);
      Job ends = After(1, 1000, 50);
      again.issue_ns = ends.issue_ns = 100;
      again.dependency = ends.dependency = redis_;
      again.call = ends.call = get_;
      ends.end_ns = 50;
      Add(&model_, i * 100'000, {asks, again, ends});
      model_.requests.back().route = route_;
    }
  }

  absl::StatusOr<ChangedLoop> Apply(const Change& change) {
    return ApplyChanges(model_, {change}, {&routes_, &dependencies_},
                        &assumed_);
  }
  static Change Of(Change::Kind kind, double scale = 1) {
    Change change{};
    change.kind = kind;
    change.scale = scale;
    return change;
  }

  RouteTable routes_;
  DependencyTable dependencies_;
  uint32_t route_;
  uint32_t redis_;
  uint32_t get_;
  LoopModel model_;
  std::vector<std::string> assumed_;
};

TEST_F(ChangeTest, AsItWas) {
  EXPECT_THAT(LatenciesOf(model_), ElementsAre(2250, 2250));
}

TEST_F(ChangeTest, HalfItsExecution) {
  Change change = Of(Change::Kind::kCpu, 0.5);
  change.route = "GET /a";
  EXPECT_THAT(LatenciesOf(Apply(change)->model), ElementsAre(2125, 2125));
}

TEST_F(ChangeTest, AnotherRouteIsNotThere) {
  Change change = Of(Change::Kind::kCpu, 0.5);
  change.route = "GET /b";
  const auto changed = Apply(change);
  EXPECT_TRUE(absl::IsNotFound(changed.status()));
  EXPECT_THAT(changed.status().message(), HasSubstr("GET /b"));
}

TEST_F(ChangeTest, ASlowerDependency) {
  Change change = Of(Change::Kind::kWait);
  change.dependency = "redis";
  change.add_ns = 500;
  EXPECT_THAT(LatenciesOf(Apply(change)->model), ElementsAre(3250, 3250));
  EXPECT_THAT(assumed_, SizeIs(1));
  change.dependency = "mongodb";
  EXPECT_THAT(Apply(change).status().message(), HasSubstr("mongodb"));
}

TEST_F(ChangeTest, AnotherTierByRank) {
  model_.jobs[1].io_ns = 900;
  Change change = Of(Change::Kind::kWait);
  change.tier = {10, 20, 30, 40};
  const auto changed = Apply(change);
  EXPECT_EQ(changed->model.jobs[1].io_ns, 10);  // the shortest of four
  EXPECT_EQ(changed->model.jobs[2].io_ns, 20);
}

TEST_F(ChangeTest, BothWaitsTogether) {
  Change change = Of(Change::Kind::kParallel);
  change.route = "GET /a";
  change.first = 1;
  change.second = 2;
  // Both asked at 100; the first one's answer runs till 1200, then the other's.
  EXPECT_THAT(LatenciesOf(Apply(change)->model), ElementsAre(1250, 1250));
  change.second = 3;
  EXPECT_THAT(Apply(change).status().message(), HasSubstr("wait 3"));
}

TEST_F(ChangeTest, EqualCallsInOne) {
  EXPECT_THAT(LatenciesOf(Apply(Of(Change::Kind::kBatch))->model),
              ElementsAre(1250, 1250));
  model_.jobs[2].call = model_.jobs[5].call =
      dependencies_.InternCall("redis SET");
  EXPECT_TRUE(absl::IsNotFound(Apply(Of(Change::Kind::kBatch)).status()));
}

TEST_F(ChangeTest, HalfAProcessor) {
  EXPECT_THAT(LatenciesOf(Apply(Of(Change::Kind::kProcessor, 0.5))->model),
              ElementsAre(2500, 2500));
}

TEST_F(ChangeTest, TheLoadOfALostServer) {
  Change change = Of(Change::Kind::kReplicaLost);
  change.count = 3;
  change.add_ns = 7000;
  const auto changed = Apply(change);
  EXPECT_DOUBLE_EQ(changed->load, 1.5);
  EXPECT_EQ(changed->model.requests[0].delay_ns, 7000);  // every third
  EXPECT_EQ(changed->model.requests[1].delay_ns, 0);
  EXPECT_THAT(LatenciesOf(changed->model), ElementsAre(9250, 2250));
  change.count = 1;
  EXPECT_TRUE(absl::IsInvalidArgument(Apply(change).status()));
}

TEST_F(ChangeTest, NothingThatIsWorthAnotherThread) {
  EXPECT_TRUE(absl::IsNotFound(Apply(Of(Change::Kind::kOffload)).status()));
}

TEST_F(ChangeTest, ANeighbourStopsWhoRuns) {
  model_.end_ns = 1'000'000'000;
  const auto changed = Apply(Of(Change::Kind::kNeighbour, 0.5));
  double stopped_ns = 0;
  for (const OtherWork& other : changed->model.others) {
    EXPECT_TRUE(other.stall);
    stopped_ns += other.ns;
  }
  EXPECT_NEAR(stopped_ns / 1e9, 0.5, 0.1);
}

TEST_F(ChangeTest, AnUnknownKindIsAnError) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      Apply(Of(static_cast<Change::Kind>(200))).status()));
}

}  // namespace
}  // namespace edgewise
