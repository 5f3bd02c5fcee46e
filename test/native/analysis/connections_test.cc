#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

// For whom the bytes are that come on a connection, on the smallest trace that
// shows it.

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kOpened = ConnectionRole::kOpened;
constexpr auto kAccepted = ConnectionRole::kAccepted;
constexpr int kClient = 7;  // descriptors
constexpr int kBackend = 9;
constexpr uint64_t kCreated = 5;  // an id that no request has registered

TraceBuilder::EventSpec Read(int64_t ready, uint64_t id, int fd) {
  return {kRead, ready, id, ReadyKind::kObserved, 0, fd};
}

// The question leaves when the loop has run the connect's callback.
TEST(ConnectionsTest, AnAnswerFollowsTheQuestionNotTheOpening) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t socket = t.Register();
  const uint64_t connect = t.Register();
  t.Connection(5, 1, kBackend, kOpened, "10.0.0.7:80");
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Event(10, 130, {EventType::kTimer, 10, 0});
  t.Use(135, 1);
  t.Event(130, 140,
          {EventType::kConnect, 6, connect, ReadyKind::kObserved, 0, kBackend});
  t.End(195, 1);
  t.Event(190, 200, Read(190, socket, kBackend));
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"connect", 0, 120, 10},
                                           StepTimes{"tcp_read", 50, 0, 5}));
}

// A connection that another open request has opened.
TEST(ConnectionsTest, APooledConnectionAnswersWhoAskedLast) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t socket = t.Register();
  t.Connection(5, 1, kBackend, kOpened).Use(6, 1);
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Event(50, 60, Read(50, socket, kBackend));  // 1 is answered, stays open
  t.Start(100, 2).Use(105, 1);
  t.Event(100, 110, Read(100, kCreated, kClient + 1));
  t.End(205, 2);
  t.Event(200, 210, Read(200, socket, kBackend));
  const Json request = RequestOf(t, 2);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"tcp_read", 90, 0, 5}));
  EXPECT_EQ(RequestOf(t, 2)["path"][1]["inferred"], false);
}

// A continuation was registered before its question left.
TEST(ConnectionsTest, AContinuationFollowsTheLatestQuestion) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened);
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1);
  const uint64_t awaits = t.sequence();
  const uint64_t timer = t.Register();
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Start(20, 2).Use(25, 1);
  t.Event(20, 30, Read(20, kCreated, kClient + 1));
  t.Use(85, 1);
  t.Event(80, 90, {EventType::kTimer, 40, timer, ReadyKind::kDue});
  t.Slice(145, awaits);
  t.End(150, 1);
  t.Event(140, 160, Read(140, kCreated, kBackend));
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"timer", 20, 40, 10},
                                           StepTimes{"tcp_read", 50, 0, 10}));
}

TEST(ConnectionsTest, ABodyBelongsToTheRequestOfItsConnection) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kClient, kAccepted);
  const uint64_t parser = t.Register();
  t.Event(0, 5, {EventType::kAccept, 0, kCreated});
  t.Start(10, 1);
  t.Event(10, 20, Read(10, parser, kClient));
  const uint64_t timer = t.Register();
  t.Event(90, 100, Read(80, parser, kClient));
  t.End(155, 1);
  t.Event(150, 160, {EventType::kTimer, 150, timer, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_THAT(PathOf(request), ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                                           StepTimes{"tcp_read", 60, 10, 10},
                                           StepTimes{"timer", 50, 0, 5}));
}

// What comes on a connection's number after it has become another's is not the
// old one's.
TEST(ConnectionsTest, ADescriptorThatIsUsedAgainIsAnotherConnection) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Connection(20, 1, kClient, kAccepted);
  t.Event(20, 30, {EventType::kAccept, 20, kCreated});
  t.Event(40, 50, Read(40, kCreated, kClient));
  t.End(60, 1);
  t.Event(55, 70, {EventType::kTimer, 55, kCreated, ReadyKind::kDue});
  const Json request = RequestOf(t, 1);
  EXPECT_EQ(request["nodes"].size(), 2u) << request["nodes"];
}

TEST(ConnectionsTest, WhatNobodyWritesAfterAQuestionIsMoreOfIt) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  t.Connection(5, 1, kBackend, kOpened).Use(6, 1);
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Use(20, 1);
  t.End(105, 1);
  t.Event(100, 110, Read(100, kCreated, kBackend));
  EXPECT_THAT(PathOf(RequestOf(t, 1)),
              ElementsAre(StepTimes{"tcp_read", 0, 0, 10},
                          StepTimes{"tcp_read", 90, 0, 5}));
}

// HTTP/2: side by side it is not known whose bytes they are.
TEST(ConnectionsTest, StreamsThatAreOpenTogetherDoNotTakeEachOthersBytes) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kClient, kAccepted);
  t.Event(0, 5, {EventType::kAccept, 0, kCreated});
  t.Start(10, 1, RequestKind::kHttp2);
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Start(30, 2, RequestKind::kHttp2);
  t.Event(30, 40, Read(30, kCreated, kClient));
  t.Event(50, 60, Read(50, kCreated, kClient));
  t.End(75, 2);
  t.Event(70, 80, Read(70, kCreated, kClient));
  const Json request = RequestOf(t, 2);
  EXPECT_EQ(request["nodes"].size(), 2u) << request["nodes"];
}

// Native code has asked, between two events: the resource tells for whom.
TEST(ConnectionsTest, AQuestionOfNobodysIsAnsweredByTheResource) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t socket = t.Register();
  t.Connection(5, 1, kBackend, kOpened);
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Use(20, 1);
  t.Event(100, 110, Read(100, socket, kBackend));
  t.End(125, 1);
  t.Event(120, 130, Read(120, kCreated, kClient));
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["nodes"][1]["type"], "tcp_read") << request["nodes"];
  EXPECT_EQ(request["nodes"][1]["begin_ns"], 100) << request["nodes"];
}

// Two requests that one read brought, the second some time after the first.
TEST(ConnectionsTest, OfSeveralRequestsOfARead) {
  TraceBuilder t;
  t.Meta().Arrival(100, 80).Start(105, 1).End(110, 1);
  const uint64_t second = t.Slice(115, 0);
  EXPECT_NE(second, 0u);
  t.Start(115, 2).End(120, 2);
  t.Event(100, 130, Read(20, kCreated, kClient));
  t.Start(205, 3).End(210, 3);
  t.Event(200, 230, Read(190, kCreated, kClient));
  EXPECT_EQ(RequestOf(t, 1)["latency_ns"], 90) << "since its first byte";
  const Json request = RequestOf(t, 2);
  ExpectSums(request);
  EXPECT_EQ(request["latency_ns"], 40) << "at the latest since the last byte";
  EXPECT_EQ(request["path"][0]["ready_kind"], "upper-bound");
  EXPECT_EQ(RequestOf(t, 3)["latency_ns"], 20) << "of the event before";
}

// I/O is divided by what was waited for; calls in turn and beside are counted.
TEST(ConnectionsTest, IoIsDividedByDependency) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened, "10.0.0.7:6379");
  t.Connection(2, 2, kBackend + 1, kOpened, "/run/db.sock");
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1, UseKind::kQuestion, "redis GET");
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Use(55, 1, UseKind::kQuestion, "redis SET").Use(56, 2);
  const uint64_t timer = t.Register();
  t.Event(50, 60, Read(50, kCreated, kBackend));
  t.Event(100, 110, Read(100, kCreated, kBackend));
  t.End(205, 1);
  t.Event(200, 210, {EventType::kTimer, 200, timer, ReadyKind::kDue});
  const Json report = ReportOf(t);
  const Json& dependencies = report["dependencies"];
  ASSERT_EQ(dependencies.size(), 3u) << dependencies;
  EXPECT_EQ(dependencies[0]["what"], "timer");
  EXPECT_EQ(dependencies[0]["io_ns"], 140);
  EXPECT_EQ(dependencies[0]["peer"], nullptr);
  EXPECT_EQ(dependencies[0]["calls"], nullptr) << "nothing is asked of a timer";
  EXPECT_EQ(dependencies[1]["what"], "redis 10.0.0.7:6379");
  EXPECT_EQ(dependencies[1]["kind"], "redis");
  EXPECT_EQ(dependencies[1]["io_ns"], 30);
  EXPECT_EQ(dependencies[1]["calls"], 2);
  EXPECT_EQ(dependencies[1]["in_turn"], 1);
  EXPECT_EQ(dependencies[1]["side_by_side"], 1);
  EXPECT_EQ(dependencies[1]["requests"], 1);
  EXPECT_EQ(dependencies[2]["what"], "unix /run/db.sock");
  EXPECT_EQ(dependencies[2]["io_ns"], 0) << "asked, and not waited for";
  double sum = 0;
  for (const Json& each : dependencies) sum += each["io_ns"].get<double>();
  EXPECT_EQ(sum, report["tail"]["io_ns"].get<double>());
  const Json path = RequestOf(t, 1)["path"];
  EXPECT_EQ(path[0]["dependency"], nullptr);
  EXPECT_EQ(path[1]["dependency"], "redis 10.0.0.7:6379");
  EXPECT_EQ(path[1]["call"], "redis GET");
  EXPECT_EQ(path[2]["dependency"], "timer");
  EXPECT_EQ(path[2]["call"], nullptr);
}

// A server that speaks first is named by the question that follows.
TEST(ConnectionsTest, WhatIsSpokenOnAConnectionNamesAlsoWhatCameBefore) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t socket = t.Register();
  const uint64_t connect = t.Register();
  t.Connection(5, 1, kBackend, kOpened, "10.0.0.7:3306");
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Event(
      20, 30,
      {EventType::kConnect, 20, connect, ReadyKind::kObserved, 0, kBackend});
  t.Use(55, 1, UseKind::kQuestion, "mysql connect");
  t.Event(50, 60, Read(50, socket, kBackend));
  t.End(105, 1);
  t.Event(100, 110, Read(100, socket, kBackend));
  const Json report = ReportOf(t);
  const Json& dependencies = report["dependencies"];
  ASSERT_EQ(dependencies.size(), 1u) << dependencies;
  EXPECT_EQ(dependencies[0]["what"], "mysql 10.0.0.7:3306");
  EXPECT_EQ(dependencies[0]["io_ns"], 80);
  EXPECT_EQ(dependencies[0]["in_turn"], 2);
  EXPECT_EQ(dependencies[0]["calls"], 1);
  const Json path = RequestOf(t, 1)["path"];
  EXPECT_EQ(path[1]["dependency"], "mysql 10.0.0.7:3306");
  EXPECT_EQ(path[1]["call"], nullptr);
  EXPECT_EQ(path[2]["dependency"], "mysql 10.0.0.7:3306");
  EXPECT_EQ(path[2]["call"], "mysql connect");
}

// Another protocol later does not rename what was known.
TEST(ConnectionsTest, WhatWasKnownKeepsItsName) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened, "10.0.0.7:25");
  t.Event(0, 5, {EventType::kMain});
  t.Start(10, 1).Use(15, 1, UseKind::kQuestion, "smtp STARTTLS");
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Use(55, 1, UseKind::kQuestion, "tls");
  t.Event(50, 60, Read(50, kCreated, kBackend));
  t.End(105, 1);
  t.Event(100, 110, Read(100, kCreated, kBackend));
  const Json path = RequestOf(t, 1)["path"];
  EXPECT_EQ(path[1]["dependency"], "smtp 10.0.0.7:25");
  EXPECT_EQ(path[2]["dependency"], "tls 10.0.0.7:25");
}

TEST(ConnectionsTest, NonsenseIsPassedOver) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  t.Connection(1, 0, -5, kOpened).Use(2, 77).Use(3, 0);
  Record odd{};
  odd.kind = RecordKind::kUse;
  odd.type = 200;
  odd.ticks = t.Ticks(4);
  t.Raw(odd);
  t.Connection(5, 1, 3, kOpened).Connection(6, 1, 4, kOpened);
  t.Use(7, 1, UseKind::kClosed).Use(8, 1, UseKind::kClosed);
  t.End(9, 1);
  t.Event(0, 10, Read(0, kCreated, kClient));
  ExpectSums(RequestOf(t, 1));
}

// Of a body that was not read a part was left: it is read with the next
// request, which is as old as itself.
class UnreadTest : public testing::Test {
 protected:
  // The second request's bytes came by `latest`, after others at 40; the first
  // is answered at 50.
  Json Second(int64_t latest) {
    TraceBuilder t;
    t.Meta();
    t.Connection(1, 1, kClient, ConnectionRole::kAccepted);
    t.Event(0, 5, {EventType::kMain});
    t.Start(10, 1);
    const uint64_t waits = t.Register();
    t.Event(10, 20,
            {EventType::kTcpRead, 10, 5, ReadyKind::kObserved, 0, kClient});
    t.End(50, 1);
    t.Event(45, 55, {EventType::kTimer, 45, waits, ReadyKind::kDue});
    t.Arrival(100, latest);
    t.Start(100, 2);
    t.End(105, 2);
    t.Event(100, 110,
            {EventType::kTcpRead, 40, 5, ReadyKind::kObserved, 0, kClient});
    Json found = RequestOf(t, 2);
    ExpectSums(found);
    return found;
  }
};

TEST_F(UnreadTest, TheNextRequestIsAsOldAsItself) {
  const Json found = Second(/*latest=*/90);
  EXPECT_EQ(found["latency_ns"], 15);
  EXPECT_EQ(found["path"][0]["ready_kind"], "upper-bound");
}

TEST_F(UnreadTest, WhatCameBeforeTheAnswerWasPipelined) {
  EXPECT_EQ(Second(/*latest=*/48)["latency_ns"], 65);
}

}  // namespace
}  // namespace edgewise
