#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "test/native/analysis/report_kit.h"

// Whose the answers are on a connection that several have asked, on the
// smallest trace that shows it.

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kOpened = ConnectionRole::kOpened;
constexpr int kClient = 7;  // descriptors
constexpr int kBackend = 9;
constexpr uint64_t kCreated = 5;  // an id that no request has registered

TraceBuilder::EventSpec Read(int64_t ready, uint64_t id, int fd) {
  return {kRead, ready, id, ReadyKind::kObserved, 0, fd};
}

// Something waits as number `wait`, or has waited, for connection `number`.
void Wait(TraceBuilder& t, int64_t time, uint32_t wait, uint32_t number = 0) {
  Record record{};
  record.kind = RecordKind::kUse;
  record.type =
      static_cast<uint8_t>(number == 0 ? UseKind::kWaits : UseKind::kAskedFor);
  record.ticks = t.Ticks(time);
  record.duration = std::bit_cast<float>(wait);
  record.aux = number;
  SetIds(record, 0, t.counter() & kIdMask);
  t.Raw(record);
}

// Two have asked, and no promise tells whose the bytes are.
TEST(SharedConnectionsTest, AnswersComeInTheOrderOfTheQuestions) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1);
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Start(30, 2).Use(35, 1);
  t.Event(30, 40, Read(30, kCreated, kClient + 1));
  const uint64_t first = t.Register();
  t.Event(100, 120, Read(90, kCreated, kBackend));
  const uint64_t second = t.Register();
  t.Event(200, 210, Read(200, kCreated, kBackend));
  t.End(255, 2);
  t.Event(250, 260, {EventType::kTimer, 250, second, ReadyKind::kDue});
  t.End(305, 1);
  t.Event(300, 310, {EventType::kTimer, 300, first, ReadyKind::kDue});
  const Json one = RequestOf(t, 1);
  ExpectSums(one);
  EXPECT_THAT(PathOf(one), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                       StepTimes{"tcp_read", 70, 10, 20},
                                       StepTimes{"timer", 180, 0, 5}));
  EXPECT_EQ(one["path"][1]["inferred"], true);
  EXPECT_EQ(one["path"][2]["inferred"], false);
  const Json two = RequestOf(t, 2);
  ExpectSums(two);
  EXPECT_THAT(PathOf(two), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                       StepTimes{"tcp_read", 160, 0, 10},
                                       StepTimes{"timer", 40, 0, 5}));
}

// HTTP/2 answers as it likes.
TEST(SharedConnectionsTest, NothingIsInferredFromAnOrderThatThereIsNot) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened);
  t.Event(0, 5, {EventType::kMain});
  for (const uint32_t request : {1, 2}) {
    const int64_t at = 20 * request;
    t.Start(at, request).Use(at + 5, 1, UseKind::kQuestion, "h2 GET /");
    t.Event(at, at + 10, Read(at, kCreated, kClient));
  }
  t.Event(100, 120, Read(100, kCreated, kBackend));
  t.End(205, 1);
  t.Event(200, 210, {EventType::kTimer, 200, 0, ReadyKind::kDue});
  EXPECT_EQ(RequestOf(t, 1)["path"].size(), 2u);
}

// One read has brought both answers: its first bytes were for the first.
TEST(SharedConnectionsTest,
     OfSeveralAnswersInOneReadTheLaterOnesCameByItsLastBytes) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1);
  const uint64_t first = t.sequence();
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Start(30, 2).Use(35, 1);
  const uint64_t second = t.sequence();
  t.Event(30, 40, Read(30, kCreated, kClient + 1));
  t.Arrival(200, 180);
  t.Slice(210, first);
  t.End(215, 1);
  t.Slice(220, second);
  t.End(225, 2);
  t.Event(200, 230, Read(100, kCreated, kBackend));
  EXPECT_THAT(PathOf(RequestOf(t, 1)),
              ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                          StepTimes{"tcp_read", 80, 100, 15}));
  const Json two = RequestOf(t, 2);
  ExpectSums(two);
  EXPECT_THAT(PathOf(two), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                       StepTimes{"tcp_read", 140, 30, 15}));
  EXPECT_EQ(two["path"][1]["ready_kind"], "upper-bound");
}

// Who is answered when several wait is not guessed where the continuation
// tells.
TEST(SharedConnectionsTest, WhatSeveralHaveAskedIsWhoseContinuationRuns) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1);
  const uint64_t first = t.sequence();
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Start(30, 2).Use(35, 1);
  t.Event(30, 40, Read(30, kCreated, kClient + 1));
  t.Slice(110, first);
  t.End(115, 1);
  t.Event(100, 120, Read(100, kCreated, kBackend));
  // Only the second waits now.
  t.End(205, 2);
  t.Event(200, 210, Read(200, kCreated, kBackend));
  EXPECT_THAT(PathOf(RequestOf(t, 1)),
              ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                          StepTimes{"tcp_read", 80, 0, 15}));
  const Json second = RequestOf(t, 2);
  ExpectSums(second);
  EXPECT_THAT(PathOf(second), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                          StepTimes{"tcp_read", 160, 0, 5}));
}

// A call waits in an agent's queue, and the request's own earlier call, for
// which it does not wait any more, sets the connection free.
TEST(SharedConnectionsTest, WhoHasMadeACallAsksAndNotWhatFreesItsConnection) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1);
  const uint64_t timer = t.Register();
  t.Event(10, 20, Read(10, kCreated, kClient));
  const uint64_t queued = t.Register();
  t.Event(60, 70, {EventType::kTimer, 60, timer, ReadyKind::kDue});
  t.Slice(85, 0, queued);
  t.Use(86, 1);
  t.Event(80, 90, Read(50, kCreated, kBackend));
  t.End(125, 1);
  t.Event(120, 130, Read(115, kCreated, kBackend));
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"timer", 40, 0, 10},
                                           StepTimes{"tcp_read", 0, 10, 10},
                                           StepTimes{"tcp_read", 25, 5, 5}));
}

// Two functions wait behind one connection, and a promise. What takes long
// before the promise goes on may be a function, whichever came first.
TEST(SharedConnectionsTest, LongWorkBeforeAPromiseMayBeAnothersFunction) {
  constexpr int64_t kLong = 300'000;
  for (const int64_t takes : {kLong, kLong / 10}) {
    for (const uint32_t promised : {1, 2}) {
      TraceBuilder t;
      t.Meta();
      t.Connection(1, 1, kBackend, kOpened);
      t.Event(0, 5, {EventType::kMain});
      uint64_t asked[3];
      for (const uint32_t request : {1, 2}) {
        const int64_t at = 20 * request;
        t.Start(at, request).Use(at + 5, 1, UseKind::kQuestion, "redis GET");
        asked[request] = t.sequence();
        t.Event(at, at + 10, Read(at, kCreated, kClient + request - 1));
      }
      t.Connection(105, 2, kBackend + 100, kOpened);  // another one
      t.Slice(100 + takes, asked[promised]);
      t.End(110 + takes, promised);
      t.Event(100, 120 + takes, Read(100, kCreated, kBackend));
      const Json request = RequestOf(t, promised);
      ExpectSums(request);
      EXPECT_EQ(request["path"].back()["inferred"], takes == kLong);
      EXPECT_EQ(request["path"].back()["call"], "redis GET");
    }
  }
}

// A client that keeps what waits for its connection: the second question is
// written once the first is answered, by what runs then.
class QueuedTest : public testing::Test {
 protected:
  // Request 1 asks, 2 waits as number 1; `told`: for whom the second is.
  void Record(bool told) {
    t_.Meta();
    t_.Connection(1, 1, kBackend, kOpened);
    t_.Event(0, 5, {EventType::kMain});
    t_.Start(10, 1).Use(15, 1, UseKind::kQuestion, "http GET /one");
    const uint64_t first = t_.sequence();
    t_.Event(10, 20, Read(10, kCreated, kClient));
    t_.Start(30, 2);
    Wait(t_, 35, 1);
    const uint64_t second = t_.sequence();
    t_.Event(30, 40, Read(30, kCreated, kClient + 1));
    if (told) Wait(t_, 102, 1, 1);
    t_.Use(103, 1, UseKind::kQuestion, "http GET /two");
    t_.Slice(105, first);
    t_.End(110, 1);
    t_.Event(100, 120, Read(100, kCreated, kBackend));
    t_.Slice(205, second);
    t_.End(210, 2);
    t_.Event(200, 220, Read(200, kCreated, kBackend));
  }
  TraceBuilder t_;
};

TEST_F(QueuedTest, TheQuestionIsWhosesItWasToldToBe) {
  Record(/*told=*/true);
  const Json one = RequestOf(t_, 1);
  ExpectSums(one);
  EXPECT_EQ(one["path"][1]["call"], "http GET /one");
  const Json two = RequestOf(t_, 2);
  ExpectSums(two);
  EXPECT_EQ(two["path"][1]["call"], "http GET /two");
  EXPECT_EQ(two["path"][1]["io_ns"], 160);
}

TEST_F(QueuedTest, UntoldItIsNotSaidWhatWasAsked) {
  Record(/*told=*/false);
  EXPECT_EQ(RequestOf(t_, 2)["path"][1]["call"], nullptr);
}

// Who has asked is gone: nobody else has.
TEST(SharedConnectionsTest, WhatNobodyKnownHasAskedIsNobodysAnswer) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1);
  Wait(t, 12, 7, 1);
  t.Use(15, 1, UseKind::kQuestion, "http GET /");
  const uint64_t own = t.Register();
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Event(100, 120, Read(100, kCreated, kBackend));
  t.End(205, 1);
  t.Event(200, 210, {EventType::kTimer, 200, own, ReadyKind::kDue});
  const Json one = RequestOf(t, 1);
  ExpectSums(one);
  EXPECT_THAT(PathOf(one), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                       StepTimes{"timer", 180, 0, 5}));
}

}  // namespace
}  // namespace edgewise
