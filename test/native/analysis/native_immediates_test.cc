#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

// What native immediates resolve: it runs when all of them have returned.

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr int kClient = 7;        // a descriptor
constexpr uint64_t kCreated = 5;  // an id that no request has registered

TraceBuilder::EventSpec Read(int64_t ready, uint64_t id, int fd) {
  return {EventType::kTcpRead, ready, id, ReadyKind::kObserved, 0, fd};
}

// Two requests are read, each of which registers something.
class NativeImmediatesTest : public testing::Test {
 protected:
  NativeImmediatesTest() {
    t_.Meta().Start(0, 1);
    first_ = t_.sequence();
    firsts_ = t_.Register();
    t_.Event(0, 10, Read(0, kCreated, kClient));
    t_.Start(20, 2);
    second_ = t_.sequence();
    seconds_ = t_.Register();
    t_.Event(20, 30, Read(20, kCreated, kClient + 1));
  }

  // Both go on, and end, the second one first.
  void GoOn() {
    t_.Slice(160, second_);
    t_.End(165, 2);
    t_.Slice(170, first_);
    t_.End(175, 1);
  }

  TraceBuilder t_;
  uint64_t first_, second_;    // their slices
  uint64_t firsts_, seconds_;  // what these have registered
};

// A resolver's callbacks run one after the other, and then what they have
// resolved, in the last one's event: each answer is its own request's.
TEST_F(NativeImmediatesTest, AContinuationFollowsTheCallbackOfItsOwn) {
  t_.Event(30, 150, {EventType::kTimer, 30, 0});  // of nobody's
  t_.Event(150, 152, {EventType::kDns, 50, firsts_, ReadyKind::kObserved});
  GoOn();
  t_.Event(152, 180, {EventType::kDns, 140, seconds_, ReadyKind::kObserved});
  const Json request = RequestOf(t_, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"dns", 40, 100, 2},
                                           StepTimes{"dns", 0, 18, 5}));
  EXPECT_EQ(request["path"][2]["ready_kind"], "resolved");
  EXPECT_THAT(
      PathOf(RequestOf(t_, 2)),
      ElementsAre(StepTimes{"tcp_read", 0, 0, 10}, StepTimes{"dns", 110, 12, 8},
                  StepTimes{"dns", 0, 0, 5}));
}

// So do all immediates of native code, such as those in which HTTP/2 goes on
// over TLS.
TEST_F(NativeImmediatesTest, AContinuationFollowsTheNativeImmediateOfItsOwn) {
  t_.Event(150, 152, {EventType::kImmediate, 140, firsts_, ReadyKind::kDue});
  GoOn();
  t_.Event(152, 180, {EventType::kImmediate, 140, seconds_, ReadyKind::kDue});
  const Json path = RequestOf(t_, 1)["path"];
  ASSERT_EQ(path.size(), 3);
  EXPECT_EQ(path[1]["node"], 1);
  EXPECT_EQ(path[2]["ready_kind"], "resolved");
  EXPECT_EQ(path[2]["dependency"], nullptr);
}

// Each of Node's own is followed by what it has resolved.
TEST_F(NativeImmediatesTest, AnImmediateOfNodesResolvesForItself) {
  t_.Event(150, 152, {EventType::kImmediate, 140, firsts_, ReadyKind::kDue});
  t_.Slice(153, 0, seconds_);
  t_.Slice(170, first_);
  t_.End(175, 1);
  t_.Event(152, 180, {EventType::kImmediate, 140, 0, ReadyKind::kDue});
  const Json path = RequestOf(t_, 1)["path"];
  EXPECT_NE(path.back()["ready_kind"], "resolved");
}

// What ran before the callback was resolved otherwise.
TEST_F(NativeImmediatesTest,
       AnEarlierCallbackThatWasFollowedResolvesNothingMore) {
  t_.Event(150, 152, {EventType::kDns, 50, firsts_, ReadyKind::kObserved});
  // The loop has looked for more since then.
  t_.Slice(5170, first_);
  t_.End(5175, 1);
  t_.Event(5160, 5180, {EventType::kDns, 5155, kCreated, ReadyKind::kObserved});
  EXPECT_THAT(PathOf(RequestOf(t_, 1)),
              ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                          StepTimes{"dns", 5145, 5, 15}));
}

}  // namespace
}  // namespace edgewise
