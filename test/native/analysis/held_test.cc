#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

// What a request waits for that another one holds, or does.

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;
constexpr int kClient = 7;  // descriptors
constexpr int kBackend = 9;
constexpr uint64_t kCreated = 5;  // an id that no request has registered

TraceBuilder::EventSpec Read(int64_t ready, uint64_t id, int fd) {
  return {kRead, ready, id, ReadyKind::kObserved, 0, fd};
}

struct Two {
  uint64_t timer;    // that the first has set
  uint64_t holder;   // the first's slice
  uint64_t waiting;  // the second's
};

Two StartTwo(TraceBuilder* t) {
  Two two{};
  t->Meta();
  t->Connection(1, 1, kBackend, ConnectionRole::kOpened);
  t->Event(0, 5, {EventType::kMain});
  t->Start(10, 1);
  two.timer = t->Register();
  two.holder = t->Event(10, 20, Read(10, kCreated, kClient));
  t->Start(30, 2);
  two.waiting = t->Event(30, 40, Read(30, kCreated, kClient + 1));
  return two;
}

void ExpectWait(TraceBuilder& trace, uint32_t request, const Json& dependency,
                const Json& call) {
  const Json whole = RequestOf(trace, request);
  ExpectSums(whole);
  ASSERT_FALSE(whole["path"].empty());
  EXPECT_EQ(whole["path"].back()["dependency"], dependency);
  EXPECT_EQ(whole["path"].back()["call"], call);
}

// What the first one's timer gives back resumes the second, which ends before
// the first does.
TEST(HeldTest, ARequestWaitsForTheOneThatResumesIt) {
  TraceBuilder t;
  const Two two = StartTwo(&t);
  const uint64_t later = t.Register();
  t.Slice(105, two.holder);
  t.Slice(110, two.waiting);
  t.End(115, 2, "GET /waiting");
  t.Event(100, 120, {EventType::kTimer, 100, two.timer, ReadyKind::kDue});
  t.End(210, 1, "GET /holder");
  t.Event(200, 220, {EventType::kTimer, 200, later, ReadyKind::kDue});
  ExpectWait(t, 2, "request GET /holder", "timer");
  ExpectWait(t, 1, "timer", nullptr);
}

// Whoever has asked on a connection waits for what answers there.
TEST(HeldTest, AnAnswerIsNobodysThatComesBeforeIt) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, ConnectionRole::kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1, UseKind::kQuestion, "redis GET");
  const uint64_t first = t.Event(10, 20, Read(10, kCreated, kClient));
  t.Start(30, 2).Use(35, 1, UseKind::kQuestion, "redis GET");
  const uint64_t second = t.Event(30, 40, Read(30, kCreated, kClient + 1));
  t.Slice(210, first);
  t.End(215, 1);
  t.Slice(220, second);
  t.End(225, 2);
  t.Event(200, 230, Read(200, kCreated, kBackend));
  ExpectWait(t, 2, "redis", "redis GET");
}

// Where the holder ends is not known: nor is its name.
TEST(HeldTest, ARequestThatNeverEndsHasNoName) {
  TraceBuilder t;
  const Two two = StartTwo(&t);
  t.Slice(110, two.waiting);
  t.End(115, 2);
  t.Event(100, 120, {EventType::kTimer, 100, two.timer, ReadyKind::kDue});
  ExpectWait(t, 2, "request (unfinished)", "timer");
}

}  // namespace
}  // namespace edgewise
