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

// A resolver's callbacks run one after the other, and then what they have
// resolved, in the last one's event: each answer is its own request's.
TEST(NativeImmediatesTest, AContinuationFollowsTheCallbackOfItsOwn) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.sequence();
  const uint64_t asked = t.Register();
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Start(20, 2);
  const uint64_t second = t.sequence();
  const uint64_t asked_too = t.Register();
  t.Event(20, 30, Read(20, kCreated, kClient + 1));
  t.Event(30, 150, {EventType::kTimer, 30, 0});  // of nobody's
  t.Event(150, 152, {EventType::kDns, 50, asked, ReadyKind::kObserved});
  t.Slice(160, second);
  t.End(165, 2);
  t.Slice(170, first);
  t.End(175, 1);
  t.Event(152, 180, {EventType::kDns, 140, asked_too, ReadyKind::kObserved});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"dns", 40, 100, 2},
                                           StepTimes{"dns", 0, 18, 5}));
  EXPECT_EQ(request["path"][2]["ready_kind"], "resolved");
  EXPECT_THAT(
      PathOf(RequestOf(t, 2)),
      ElementsAre(StepTimes{"tcp_read", 0, 0, 10}, StepTimes{"dns", 110, 12, 8},
                  StepTimes{"dns", 0, 0, 5}));
}

// So do all immediates of native code, such as those in which HTTP/2 goes on
// over TLS.
TEST(NativeImmediatesTest, AContinuationFollowsTheNativeImmediateOfItsOwn) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.sequence();
  const uint64_t stream = t.Register();
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Start(20, 2);
  const uint64_t second = t.sequence();
  const uint64_t stream_too = t.Register();
  t.Event(20, 30, Read(20, kCreated, kClient + 1));
  t.Event(150, 152, {EventType::kImmediate, 140, stream, ReadyKind::kDue});
  t.Slice(160, second);
  t.End(165, 2);
  t.Slice(170, first);
  t.End(175, 1);
  t.Event(152, 180, {EventType::kImmediate, 140, stream_too, ReadyKind::kDue});
  const Json path = RequestOf(t, 1)["path"];
  ASSERT_EQ(path.size(), 3);
  EXPECT_EQ(path[1]["node"], 1);
  EXPECT_EQ(path[2]["ready_kind"], "resolved");
  EXPECT_EQ(path[2]["dependency"], nullptr);
}

// Each of Node's own is followed by what it has resolved.
TEST(NativeImmediatesTest, AnImmediateOfNodesResolvesForItself) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.sequence();
  const uint64_t stream = t.Register();
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Start(20, 2);
  const uint64_t set = t.Register();
  t.Event(20, 30, Read(20, kCreated, kClient + 1));
  t.Event(150, 152, {EventType::kImmediate, 140, stream, ReadyKind::kDue});
  t.Slice(153, 0, set);
  t.Slice(170, first);
  t.End(175, 1);
  t.Event(152, 180, {EventType::kImmediate, 140, 0, ReadyKind::kDue});
  const Json path = RequestOf(t, 1)["path"];
  EXPECT_NE(path.back()["ready_kind"], "resolved");
}

// What ran before the callback was resolved otherwise.
TEST(NativeImmediatesTest,
     AnEarlierCallbackThatWasFollowedResolvesNothingMore) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.sequence();
  const uint64_t asked = t.Register();
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Event(150, 152, {EventType::kDns, 50, asked, ReadyKind::kObserved});
  // The loop has looked for more since then.
  t.Slice(5170, first);
  t.End(5175, 1);
  t.Event(5160, 5180, {EventType::kDns, 5155, kCreated, ReadyKind::kObserved});
  EXPECT_THAT(PathOf(RequestOf(t, 1)),
              ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                          StepTimes{"dns", 5145, 5, 15}));
}

}  // namespace
}  // namespace edgewise
