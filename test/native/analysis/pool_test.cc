#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

// What waits for libuv's pool: in its queue, or while a thread works.

namespace edgewise {
namespace {

constexpr int kClient = 7;
constexpr auto kPool = EventType::kThreadPool;

// A request that hashes from 10 to 100; a thread took it up at `taken`.
Json Hashing(int64_t taken, uint32_t threads = 4,
             WorkPlace place = WorkPlace::kPool) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t job = t.Register();
  t.Event(0, 10, {EventType::kTcpRead, 0, 5, ReadyKind::kObserved, 0, kClient});
  t.Work(105, taken, "", threads, place);
  t.End(115, 1);
  t.Event(105, 120, {kPool, 100, job, ReadyKind::kCompleted});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["dependencies"].size(), 1u) << report["dependencies"];
  return report["dependencies"][0];
}

TEST(PoolTest, TheQueueIsToldFromTheWork) {
  const Json hash = Hashing(70);
  EXPECT_EQ(hash["what"], "thread pool");
  EXPECT_EQ(hash["io_ns"], 90);
  EXPECT_EQ(hash["pool"], Json::parse(R"({"threads": 4, "queue_ns": 60,
                                          "work_ns": 30, "unknown_ns": 0})"));
}

// What the request did itself before it waited is no queueing.
TEST(PoolTest, WhatWasTakenUpWhileTheRequestRanDidNotQueue) {
  EXPECT_EQ(Hashing(4)["pool"]["queue_ns"], 0);
  EXPECT_EQ(Hashing(4)["pool"]["work_ns"], 90);
}

TEST(PoolTest, WhatIsNotKnownIsNotGuessed) {
  const Json hash = Hashing(-1, 0);
  EXPECT_EQ(hash["pool"], Json::parse(R"({"threads": null, "queue_ns": 0,
                                          "work_ns": 0, "unknown_ns": 90})"));
}

// A trace that says that it was taken up after it was done.
TEST(PoolTest, NonsenseStaysWithinTheWait) {
  EXPECT_EQ(Hashing(104)["pool"]["queue_ns"], 90);
  EXPECT_EQ(Hashing(104)["pool"]["work_ns"], 0);
}

TEST(PoolTest, TheKernelsRingHasNoPool) {
  EXPECT_EQ(Hashing(-1, 0, WorkPlace::kRing)["pool"], nullptr);
}

TEST(PoolTest, FilesAreNamedByTheirPlace) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t open = t.Register();
  t.Event(0, 10, {EventType::kTcpRead, 0, 5, ReadyKind::kObserved, 0, kClient});
  t.Work(50, 10, "/var/lib");
  const uint64_t read = t.Register();
  t.Event(50, 60, {EventType::kFsOpen, 50, open, ReadyKind::kCompleted});
  t.Work(100, 80, "/var/lib");
  const uint64_t stat = t.Register();
  t.Event(100, 110, {EventType::kFsRead, 100, read, ReadyKind::kCompleted});
  t.Work(130, 110, "");
  t.End(135, 1);
  t.Event(130, 140, {EventType::kFsStat, 130, stat, ReadyKind::kCompleted});
  const Json rows = ReportOf(t)["dependencies"];
  ASSERT_EQ(rows.size(), 2u) << rows;
  EXPECT_EQ(rows[0]["what"], "file /var/lib");
  EXPECT_EQ(rows[0]["kind"], "file");
  EXPECT_EQ(rows[0]["peer"], "/var/lib");
  EXPECT_EQ(rows[0]["calls"], nullptr);
  EXPECT_EQ(rows[0]["in_turn"], 2);
  EXPECT_EQ(rows[0]["pool"]["queue_ns"], 20);
  EXPECT_EQ(rows[1]["what"], "file");
}

// The record belongs to the next event, whatever becomes of its own.
TEST(PoolTest, WorkOfAnEventThatIsMissingIsNobodys) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  t.Event(0, 10, {EventType::kTcpRead, 0, 5, ReadyKind::kObserved, 0, kClient});
  t.Work(50, 20, "/var/lib");
  t.Loss(50, 1);
  t.End(65, 1);
  t.Event(60, 70, {EventType::kTimer, 60, 0, ReadyKind::kDue});
  const Json report = ReportOf(t);
  for (const Json& row : report["dependencies"]) {
    EXPECT_EQ(row["pool"], nullptr) << row;
  }
}

}  // namespace
}  // namespace edgewise
