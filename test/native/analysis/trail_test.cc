#include "analysis/builder/trail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

// How a request goes on in slices of others: functions that user code has kept
// and called later. Its end tells.

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kTimer = EventType::kTimer;
constexpr auto kDue = ReadyKind::kDue;

Trail::Step StepOf(uint64_t sequence, uint64_t after_id, uint64_t last_id) {
  Trail::Step step{};
  step.sequence = sequence;
  step.after_id = after_id;
  step.last_id = last_id;
  return step;
}

TEST(TrailTest, FindsWhoHasRegistered) {
  Trail trail;
  EXPECT_EQ(trail.Find({.async_id = 5}), nullptr);
  const uint64_t number = trail.next();
  trail.Leave(StepOf(1, 10, 12));
  trail.Leave(StepOf(2, 12, 12));
  trail.Leave(StepOf(4, 14, 15));
  EXPECT_EQ(trail.Find({}), nullptr);
  EXPECT_EQ(trail.Find({.async_id = 10}), nullptr);
  EXPECT_EQ(trail.Find({.async_id = 12})->sequence, 1u);
  EXPECT_EQ(trail.Find({.async_id = 13}), nullptr);
  EXPECT_EQ(trail.Find({.async_id = 15})->sequence, 4u);
  EXPECT_EQ(trail.Find({.async_id = 16}), nullptr);
  EXPECT_EQ(trail.Find({.sequence = 2})->last_id, 12u);
  EXPECT_EQ(trail.Find({.sequence = 3}), nullptr);
  EXPECT_EQ(trail.Find({.step = number})->sequence, 1u);
  // The latest of what had to come before.
  EXPECT_EQ(trail.Find({.step = number, .sequence = 4})->sequence, 4u);
  EXPECT_EQ(trail.Find({.step = number + 1, .async_id = 12})->sequence, 2u);
  EXPECT_EQ(trail.Find({.step = trail.next()}), nullptr);
}

TEST(TrailTest, ForgetsTheOldest) {
  Trail trail;
  for (uint64_t i = 1; i <= Trail::kSteps + 2; ++i) {
    trail.Leave(StepOf(i, 10 * i, 10 * i + 1));
  }
  EXPECT_EQ(trail.Find({.step = 2}), nullptr);
  EXPECT_EQ(trail.Find({.sequence = 2}), nullptr);
  EXPECT_EQ(trail.Find({.step = 3})->sequence, 3u);
  EXPECT_EQ(trail.Find({.async_id = 31})->sequence, 3u);
  EXPECT_EQ(trail.Find({.async_id = 10 * Trail::kSteps + 21})->sequence,
            Trail::kSteps + 2);
}

// Request 1 has left a function with an emitter. A timer of nobody's emits; the
// function sets a timer, and another, which answers.
TEST(TrailTest, WhatLedToTheEndIsTheRequests) {
  TraceBuilder t;
  t.Meta();
  const uint64_t bell = t.Register();
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1);
  t.Event(10, 20, {kRead, 10, 3});
  const uint64_t one = t.Register();
  t.Event(110, 120, {kTimer, 100, bell, kDue});
  const uint64_t two = t.Register();
  t.Gc(GcType::kScavenge, 162, 164);
  t.Event(160, 170, {kTimer, 150, one, kDue});
  t.End(205, 1);
  t.Event(200, 210, {kTimer, 200, two, kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"timer", 80, 10, 10},
                                           StepTimes{"timer", 30, 10, 10, 2},
                                           StepTimes{"timer", 30, 0, 5}));
  EXPECT_EQ(request["path"][1]["inferred"], true);
  EXPECT_EQ(request["path"][2]["inferred"], false);
}

// Request 2 runs in slices of request 1, which has emitted. What 1 did before 2
// came, or while it did something itself, is not on its path.
TEST(TrailTest, ThePathOfAGuestBeginsAfterItsOwnLastStep) {
  TraceBuilder t;
  t.Meta();
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1);
  const uint64_t one = t.Register();
  t.Event(10, 20, {kRead, 10, 3});
  const uint64_t two = t.Register();
  t.Event(40, 50, {kTimer, 40, one, kDue});
  t.Start(60, 2);
  t.Event(60, 70, {kRead, 60, 3});
  const uint64_t three = t.Register();
  t.Event(80, 90, {kTimer, 80, two, kDue});  // emits
  t.End(105, 2);
  t.End(107, 1);
  t.Event(100, 110, {kTimer, 100, three, kDue});
  const Json guest = RequestOf(t, 2);
  ExpectSums(guest);
  EXPECT_THAT(PathOf(guest), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                         StepTimes{"timer", 10, 0, 10},
                                         StepTimes{"timer", 10, 0, 5}));
  EXPECT_EQ(RequestOf(t, 1)["path"].size(), 4u);
}

// Two answers in one read, whose functions run in one slice: the first's.
TEST(TrailTest, ASecondAnswerOfAReadIsFollowedToItsQuestion) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, 9, ConnectionRole::kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1);
  t.Event(10, 20, {kRead, 10, 3});
  t.Start(30, 2).Use(35, 1);
  t.Event(30, 40, {kRead, 30, 3});
  t.Register();
  const uint64_t second = t.Register();
  t.Event(100, 120, {kRead, 90, 3, ReadyKind::kObserved, 0, 9});
  t.End(205, 2);
  t.Event(200, 210, {kTimer, 190, second, kDue});
  const Json request = RequestOf(t, 2);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"tcp_read", 50, 10, 20},
                                           StepTimes{"timer", 70, 10, 5}));
}

// Nobody's slice has asked on a connection that it has opened: the answer
// follows the question.
TEST(TrailTest, AnAnswerToNobodyFollowsItsQuestion) {
  TraceBuilder t;
  t.Meta();
  const uint64_t bell = t.Register();
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1);
  t.Event(10, 20, {kRead, 10, 3});
  const uint64_t socket = t.Register();
  const uint64_t connect = t.Register();
  t.Connection(115, 1, 9, ConnectionRole::kOpened);
  t.Event(110, 120, {kTimer, 100, bell, kDue});
  t.Use(145, 1);
  t.Event(140, 150,
          {EventType::kConnect, 130, connect, ReadyKind::kObserved, 0, 9});
  t.End(205, 1);
  t.Event(200, 210, {kRead, 190, socket, ReadyKind::kObserved, 0, 9});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"timer", 80, 10, 10},
                                           StepTimes{"connect", 10, 10, 10},
                                           StepTimes{"tcp_read", 40, 10, 5}));
}

// Two requests of one packet. The first one's tick runs after the second one's
// function, and makes a resource before it is noticed: whose that is, nobody
// says but a patched Node. What the second one made before it was seen to run
// is its own.
TEST(TrailTest, WhatWasMadeRightBeforeATickIsUncertain) {
  for (const bool patched : {false, true}) {
    TraceBuilder t;
    t.Meta(patched ? R"({"causality": "native"})"
                   : R"({"causality": "promises"})");
    t.Start(0, 1);
    const uint64_t tick = t.Register();
    const uint64_t event = t.Slice(10, 0);
    t.Start(11, 2);
    const uint64_t own = t.Register();
    t.Slice(15, event);
    const uint64_t either = t.Register();
    t.Slice(20, 0, tick);
    t.End(25, 1);
    t.Event(0, 30, {kRead, 0, 5});
    t.Event(50, 60, {kTimer, 40, own, kDue});
    t.End(85, 2);
    t.Event(80, 90, {kTimer, 70, either, kDue});
    const Json second = RequestOf(t, 2);
    ExpectSums(second);
    const Json& nodes = second["nodes"];
    EXPECT_EQ(nodes.back()["type"], "timer");
    EXPECT_EQ(nodes.back()["inferred"], !patched);
    EXPECT_EQ(nodes[nodes.size() - 2]["inferred"], false);
  }
}

}  // namespace
}  // namespace edgewise
