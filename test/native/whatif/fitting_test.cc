#include "whatif/model/fitting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/stream/trace_set.h"
#include "test/native/analysis/heap_record.h"
#include "test/native/analysis/trace_builder.h"

// What a model has of a recorded request.

namespace edgewise {
namespace {

constexpr int kClient = 7;
constexpr int kBackend = 8;
constexpr auto kRead = EventType::kTcpRead;
constexpr auto kSeen = ReadyKind::kObserved;

LoopModel ModelOf(TraceBuilder& t) {
  const std::string bytes = t.Bytes();
  const TraceBytes file{"1-0.ewt", bytes};
  const auto traces = TracesInMemory({&file, 1});
  const auto source = traces->Open(0);
  EXPECT_TRUE(source.ok());
  EventStream stream(source->get(), "1-0.ewt", EventStream::Detail::kAll,
                     nullptr);
  RouteTable routes;
  DependencyTable dependencies;
  BlameLedger ledger;
  LoopTimeline timeline(&ledger);
  StackTree stacks;
  const RequestRoutes names;
  Fitting fitting({}, &routes, &dependencies, &timeline);
  EdgBuilder(&stream, &names, &routes, &dependencies, &timeline, &ledger,
             &stacks, &fitting, &fitting)
      .Run();
  return fitting.Finish();
}

// Its slice from 5 to 20 asks; the answer is ready at 100 and read from 110.
TEST(FittingTest, ARequestWithAWait) {
  TraceBuilder t;
  t.Meta().Start(2, 1);
  const uint64_t id = t.Register();
  t.Event(0, 20, {kRead, 0, 0, kSeen, 0, kClient});
  t.End(140, 1);
  t.Event(110, 150, {kRead, 100, id, kSeen, kFlagLoopSlept, kBackend});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.requests.size(), 1u);
  EXPECT_EQ(model.requests[0].latency_ns, 140);
  ASSERT_EQ(model.jobs.size(), 2u);
  const Job& asks = model.jobs[0];
  EXPECT_EQ(asks.parent, Job::kNone);
  EXPECT_EQ(asks.own_ns, 20);
  EXPECT_EQ(asks.end_ns, -1);
  const Job& ends = model.jobs[1];
  EXPECT_EQ(ends.parent, 0u);
  EXPECT_EQ(ends.issue_ns, 20);
  EXPECT_EQ(ends.io_ns, 80);
  EXPECT_EQ(ends.own_ns, 40) << "with what it did after its response";
  EXPECT_EQ(ends.end_ns, 30);
  EXPECT_EQ(ends.idle_ns, 90);
  EXPECT_EQ(ends.station, 0u) << "nobody shares the connection";
  EXPECT_THAT(model.wakes_ns, testing::ElementsAre(10));
}

// The third one has no answer when the recording ends.
TEST(FittingTest, TheRateIsOfRequestsThatHadTheirAnswer) {
  TraceBuilder t;
  t.Meta();
  t.Start(0, 1).End(40, 1).Event(0, 50, {kRead, 0, 0, kSeen, 0, kClient});
  t.Start(100, 2).End(140, 2);
  t.Event(100, 150, {kRead, 100, 0, kSeen, 0, kClient});
  t.Start(200, 3).Event(200, 900, {kRead, 200, 0, kSeen, 0, kClient});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.requests.size(), 2u);
  EXPECT_EQ(model.span_ns(), 200) << "two in 200 ns, and no more in 700";
}

TEST(FittingTest, CollectionsAreNoPartOfItsWork) {
  TraceBuilder t;
  t.Meta().Start(2, 1).Gc(GcType::kScavenge, 30, 60).End(90, 1);
  t.Event(0, 100, {kRead, 0, 0, kSeen, 0, kClient});
  t.Gc(GcType::kScavenge, 110, 130);
  t.Event(140, 150, {EventType::kTimer, 140, 0, ReadyKind::kDue});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.jobs.size(), 1u);
  EXPECT_EQ(model.jobs[0].own_ns, 70);
  EXPECT_EQ(model.jobs[0].end_ns, 60);
  ASSERT_EQ(model.collections.size(), 2u);
  EXPECT_EQ(model.collections[0].ns, 30);
  EXPECT_EQ(model.collections[1].after_ns, 40);
  ASSERT_EQ(model.others.size(), 1u);
  EXPECT_EQ(model.others[0].ns, 10);
}

// Two slices in its first event, so that nodes and jobs have other numbers.
TEST(FittingTest, ThePoolsBeginIsWorkWhereAThreadWasIdle) {
  TraceBuilder t;
  t.Meta();
  const uint64_t first = t.sequence();
  t.Start(2, 1);
  t.Register();
  t.Slice(8, first);
  const uint64_t id = t.Register();
  t.Event(0, 10, {kRead, 0, 0, kSeen, 0, kClient});
  t.Work(105, 40, "", 1);
  t.End(115, 1);
  t.Event(105, 120, {EventType::kThreadPool, 100, id, ReadyKind::kCompleted});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.jobs.size(), 2u);
  EXPECT_EQ(model.jobs[1].io_ns, 0);
  EXPECT_EQ(model.jobs[1].pool_ns, 90) << "60 of work, taken up after 30";
  EXPECT_EQ(model.jobs[0].pool_ns, -1);
  EXPECT_EQ(model.pool_threads, 1u);
}

// The pool's only thread was busy: the second one's wait is no work.
TEST(FittingTest, ThePoolsQueueIsNoWork) {
  TraceBuilder t;
  t.Meta().Start(1, 1);
  const uint64_t one = t.Register();
  t.Event(0, 10, {kRead, 0, 0, kSeen, 0, kClient});
  t.Start(11, 2);
  const uint64_t other = t.Register();
  t.Event(10, 20, {kRead, 10, 0, kSeen, 0, kClient + 10});
  t.Work(105, 10, "", 1).End(106, 1);
  t.Event(105, 110, {EventType::kThreadPool, 100, one, ReadyKind::kCompleted});
  t.Work(205, 100, "", 1).End(206, 2);
  t.Event(205, 210,
          {EventType::kThreadPool, 200, other, ReadyKind::kCompleted});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.jobs.size(), 4u);
  EXPECT_EQ(model.jobs[1].pool_ns, 90);
  EXPECT_EQ(model.jobs[3].pool_ns, 100);
}

TEST(FittingTest, WaitsThatBeganTogetherAreJoined) {
  TraceBuilder t;
  t.Meta().Start(1, 1);
  const uint64_t one = t.Register();
  const uint64_t other = t.Register();
  t.Event(0, 10, {kRead, 0, 0, kSeen, 0, kClient});
  t.Event(50, 60, {kRead, 50, one, kSeen, 0, kBackend});
  t.End(98, 1);
  t.Event(90, 100, {kRead, 90, other, kSeen, 0, kBackend + 1});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.jobs.size(), 3u);
  EXPECT_EQ(model.jobs[1].join, Job::kNone);
  EXPECT_EQ(model.jobs[2].parent, 0u);
  EXPECT_EQ(model.jobs[2].join, 1u);
}

TEST(FittingTest, WhoCameFirstCountsThoughItEndedLast) {
  TraceBuilder t;
  t.Meta().Start(1, 1);
  const uint64_t id = t.Register();
  t.Event(0, 10, {kRead, 0, 0, kSeen, 0, kClient});
  t.Start(21, 2).End(29, 2);
  t.Event(20, 30, {kRead, 20, 0, kSeen, 0, kClient + 10});
  t.End(98, 1);
  t.Event(90, 100, {kRead, 90, id, kSeen, 0, kBackend});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.requests.size(), 2u);
  EXPECT_EQ(model.requests[0].latency_ns, 98) << "by readiness";
}

// The second tells how long the first was; of the last it is not known, nor of
// one whose successor came on a new connection.
TEST(FittingTest, RequestsHaveTheSizeThatTheNextOnTheirConnectionTells) {
  TraceBuilder t;
  t.Meta();
  const auto serve = [&t](int64_t at, uint32_t number, uint32_t received,
                          uint32_t flags) {
    t.Start(at + 1, number, RequestKind::kHttp1, received).End(at + 5, number);
    t.Event(at, at + 10, {kRead, at, 0, kSeen, flags, kClient});
  };
  serve(0, 1, 0, kFlagNewConnection);
  serve(100, 2, 700, 0);
  serve(200, 3, 1000, 0);
  serve(300, 4, 0, kFlagNewConnection);
  serve(400, 5, 0xFFFFFF00, 0);
  serve(500, 6, 0x100, 0);
  const LoopModel model = ModelOf(t);
  std::vector<float> sizes;
  for (const ModelRequest& each : model.requests) {
    sizes.push_back(each.in_bytes);
  }
  EXPECT_THAT(sizes, testing::ElementsAre(700, 300, -1, 0xFFFFFF00, 512, -1));
}

TEST(FittingTest, CollectionsHaveWhatTheyLeft) {
  TraceBuilder t;
  t.Meta().Start(2, 1);
  t.Raw(HeapRecord(t, 35, 1000, 300, 5000, 5100, 16 << 20));
  t.Gc(GcType::kScavenge, 30, 60);
  t.Gc(GcType::kMarkSweepCompact, 70, 80)
      .Raw(HeapRecord(t, 70, 400, 300, 5100, 4000, 1024));
  t.End(90, 1);
  t.Event(0, 100, {kRead, 0, 0, kSeen, 0, kClient});
  t.Gc(GcType::kScavenge, 110, 130);
  t.Event(140, 150, {EventType::kTimer, 140, 0, ReadyKind::kDue});
  const LoopModel model = ModelOf(t);
  ASSERT_EQ(model.collections.size(), 3u);
  ASSERT_EQ(model.heaps.size(), 3u);
  EXPECT_EQ(model.heaps[0].semi_space, 16 << 20);
  EXPECT_EQ(model.heaps[0].survived, 300);
  EXPECT_EQ(model.heaps[0].promoted, 100);
  EXPECT_EQ(model.heaps[1].semi_space, -1) << "not of young objects";
  EXPECT_EQ(model.heaps[2].semi_space, -1) << "nothing is told of it";
  EXPECT_EQ(model.lasting, -1) << "of one of the whole heap nothing follows";
}

// Between the two of the whole heap 400 bytes are promoted; the second frees
// 300 of them.
TEST(FittingTest, WhatOfThePromotedLasts) {
  TraceBuilder t;
  t.Meta().Start(2, 1);
  t.Gc(GcType::kMarkSweepCompact, 10, 20);
  t.Raw(HeapRecord(t, 15, 0, 0, 9000, 5000, 1 << 20));
  t.Gc(GcType::kScavenge, 30, 40);
  t.Raw(HeapRecord(t, 35, 1000, 300, 5000, 5400, 1 << 20));
  t.Gc(GcType::kMarkSweepCompact, 50, 60);
  t.Raw(HeapRecord(t, 55, 300, 300, 5400, 5100, 1 << 20));
  t.End(90, 1);
  t.Event(0, 100, {kRead, 0, 0, kSeen, 0, kClient});
  EXPECT_FLOAT_EQ(ModelOf(t).lasting, 0.25);
}

}  // namespace
}  // namespace edgewise
