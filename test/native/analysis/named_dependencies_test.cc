#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

// What requests have waited for, by name.

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kOpened = ConnectionRole::kOpened;
constexpr auto kChild = ConnectionRole::kChild;
constexpr int kClient = 7;  // descriptors
constexpr int kBackend = 9;
constexpr uint64_t kCreated = 5;  // an id that no request has registered

TraceBuilder::EventSpec Read(int64_t ready, uint64_t id, int fd) {
  return {kRead, ready, id, ReadyKind::kObserved, 0, fd};
}

// A request asks `operation` at 5 and is answered at 50.
Json Asked(std::string_view peer, std::string_view operation) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t socket = t.Register();
  t.Connection(4, 1, kBackend, kOpened, peer);
  t.Use(5, 1, UseKind::kQuestion, operation);
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Use(56, 1, UseKind::kMeasured).Use(57, 1, UseKind::kClosed);
  t.End(58, 1);
  t.Event(50, 60, Read(50, socket, kBackend));
  const Json rows = ReportOf(t)["dependencies"];
  EXPECT_EQ(rows.size(), 1u) << rows;
  return rows[0];
}

TEST(NamedDependenciesTest, ATlsConnectionIsItsServers) {
  const Json named = Asked("10.0.0.7:443", "tls db.example.com (h2, http/1.1)");
  EXPECT_EQ(named["what"], "tls db.example.com (10.0.0.7:443)");
  EXPECT_EQ(named["kind"], "tls");
  EXPECT_EQ(named["peer"], "db.example.com (10.0.0.7:443)");
  EXPECT_EQ(Asked("10.0.0.7:443", "tls (no server name)")["peer"],
            "10.0.0.7:443");
  EXPECT_EQ(Asked("10.0.0.7:443", "tls")["what"], "tls 10.0.0.7:443");
  EXPECT_EQ(Asked("", "tls db.example.com")["peer"], "db.example.com ()");
}

// The certificate's name and the resolved one may differ.
TEST(NamedDependenciesTest, TheServersNameComesBeforeTheResolvedOne) {
  EXPECT_EQ(Asked("lb.internal (10.0.0.7:443)", "tls db.example.com")["peer"],
            "db.example.com (10.0.0.7:443)");
  EXPECT_EQ(
      Asked("db.example.com (10.0.0.7:443)", "tls db.example.com")["peer"],
      "db.example.com (10.0.0.7:443)");
}

TEST(NamedDependenciesTest, WhatOthersSpeakNamesNoServer) {
  EXPECT_EQ(Asked("10.0.0.7:6379", "redis GET")["what"], "redis 10.0.0.7:6379");
  EXPECT_EQ(Asked("a (10.0.0.7:443)", "https GET /users/:id")["what"],
            "https a (10.0.0.7:443)");
}

TEST(NamedDependenciesTest, WhatTcpHasMeasured) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t socket = t.Register();
  t.Connection(2, 1, kBackend, kOpened, "a").Use(3, 1);
  t.Connection(4, 2, kBackend + 1, kOpened, "a").Use(5, 2);
  t.Event(0, 10, Read(0, kCreated, kClient));
  const auto measured = [&](int64_t time, uint32_t number, uint32_t again,
                            uint32_t us) {
    Record record{};
    record.kind = RecordKind::kUse;
    record.type = static_cast<uint8_t>(UseKind::kMeasured);
    record.ticks = t.Ticks(time);
    record.aux = number;
    record.duration = std::bit_cast<float>(again);
    record.ready_before = std::bit_cast<float>(us);
    SetIds(record, 0, t.counter() & kIdMask);
    t.Raw(record);
  };
  measured(52, 1, 3, 100);
  measured(53, 2, 4, 300);
  measured(54, 99, 4, 300);  // of none that is known
  t.End(58, 1);
  t.Event(50, 60, Read(50, socket, kBackend));
  const Json row = ReportOf(t)["dependencies"][0];
  EXPECT_EQ(row["retransmits"], 7);
  EXPECT_EQ(row["rtt_us"], 200);
}

TEST(NamedDependenciesTest, WhatWasNotMeasuredIsNotZero) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t timer = t.Register();
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.End(55, 1);
  t.Event(50, 60, {EventType::kTimer, 50, timer, ReadyKind::kDue});
  const Json row = ReportOf(t)["dependencies"][0];
  EXPECT_EQ(row["retransmits"], nullptr);
  EXPECT_EQ(row["rtt_us"], nullptr);
}

TEST(NamedDependenciesTest, AChildProcessIsItsProgram) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t process = t.Register();
  const uint64_t pipe = t.Register();
  Record began{};
  began.kind = RecordKind::kConnection;
  began.type = static_cast<uint8_t>(kChild);
  began.ticks = t.Ticks(4);
  began.duration = std::bit_cast<float>(UINT32_MAX);
  t.Connection(3, 1, 11, kChild, "convert");
  began.ready_before = std::bit_cast<float>(uint32_t{1});  // that string
  SetIds(began, process, t.counter() & kIdMask);
  t.Raw(began);
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.Event(40, 45,
          {EventType::kPipeRead, 40, pipe, ReadyKind::kObserved, 0, 11});
  const uint64_t other = t.Register();
  t.Event(60, 65, {EventType::kChild, 60, process, ReadyKind::kObserved, 0, 3});
  t.Use(70, 1, UseKind::kClosed);
  t.End(85, 1);  // Another file has the pipe's number.
  t.Event(80, 90,
          {EventType::kPipeRead, 80, other, ReadyKind::kObserved, 0, 11});
  const Json rows = ReportOf(t)["dependencies"];
  ASSERT_EQ(rows.size(), 2u) << rows;
  EXPECT_EQ(rows[0]["what"], "process convert");
  EXPECT_EQ(rows[0]["kind"], "process");
  EXPECT_EQ(rows[0]["peer"], "convert");
  EXPECT_EQ(rows[0]["in_turn"], 1);
  EXPECT_EQ(rows[0]["calls"], nullptr);
  EXPECT_EQ(rows[1]["what"], "pipe_read");
}

TEST(NamedDependenciesTest, WhatAChildProcessSaysIsItsPrograms) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t pipe = t.Register();
  t.Connection(3, 1, 11, kChild, "convert");
  t.Event(0, 10, Read(0, kCreated, kClient));
  t.End(45, 1);
  t.Event(40, 50,
          {EventType::kPipeRead, 40, pipe, ReadyKind::kObserved, 0, 11});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["path"].back()["dependency"], "process convert");
}

// Side by side: whose answer comes is known, but not of which question.
TEST(NamedDependenciesTest, StreamsOfOneRequestAreEachACall) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened, "10.0.0.7:80");
  t.Event(0, 2, {EventType::kMain});
  t.Start(10, 1);
  t.Use(11, 1, UseKind::kQuestion, "h2 GET /one");
  t.Use(12, 1, UseKind::kQuestion, "h2 GET /other");
  const uint64_t streams = t.Register(2);
  t.Event(10, 20, Read(10, kCreated, kClient));
  t.Event(50, 60, Read(50, streams - 1, kBackend));
  t.End(85, 1);
  t.Event(80, 90, Read(80, streams, kBackend));
  const Json report = ReportOf(t);
  EXPECT_EQ(report["dependencies"][0]["what"], "h2 10.0.0.7:80");
  EXPECT_EQ(report["dependencies"][0]["calls"], 2);
  EXPECT_EQ(RequestOf(t, 1)["path"].back()["call"], nullptr);
}

// Two requests ask on one session; the later answer comes first.
TEST(NamedDependenciesTest, AStreamOfHttp2AnswersWhoHasAskedForIt) {
  TraceBuilder t;
  t.Meta();
  t.Connection(1, 1, kBackend, kOpened, "10.0.0.7:80");
  t.Event(0, 2, {EventType::kMain});
  t.Start(10, 1);
  const uint64_t first = t.Register();
  t.Use(11, 1, UseKind::kQuestion, "h2 GET /slow");
  t.Event(10, 20, Read(10, kCreated, kClient));
  // What comes meanwhile is no answer.
  t.Event(25, 26, Read(25, kCreated, kBackend));
  t.Start(30, 2);
  const uint64_t second = t.Register();
  t.Use(31, 1, UseKind::kQuestion, "h2 GET /fast");
  t.Event(30, 40, Read(30, kCreated, kClient + 1));
  t.End(55, 2);
  t.Event(50, 60, Read(50, second, kBackend));
  t.End(85, 1);
  t.Event(80, 90, Read(80, first, kBackend));
  for (const auto& [id, call] :
       {std::pair{1, "h2 GET /slow"}, std::pair{2, "h2 GET /fast"}}) {
    const Json request = RequestOf(t, id);
    ExpectSums(request);
    EXPECT_EQ(request["path"].back()["call"], call) << request["path"];
    EXPECT_EQ(request["path"].back()["inferred"], false);
    EXPECT_EQ(request["path"].back()["dependency"], "h2 10.0.0.7:80");
  }
}

}  // namespace
}  // namespace edgewise
