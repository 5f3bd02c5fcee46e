#include "analysis/graph/request_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/graph/loop_timeline.h"
#include "test/native/analysis/report_kit.h"

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;

TEST(RequestGraphTest, TruncationKeepsSourceAndLatest) {
  RequestGraph graph;
  for (uint32_t i = 0; i < 101; ++i) {
    Node node{};
    node.begin_ns = i;
    node.parent = i == 0 ? 0 : i - 1;
    graph.nodes.push_back(node);
    graph.gc.push_back({i, GcType::kScavenge, false, i, i + 1});
  }
  graph.Truncate();
  EXPECT_TRUE(graph.truncated);
  EXPECT_EQ(graph.dropped, 50);
  EXPECT_EQ(graph.Size(), 101);
  EXPECT_TRUE(graph.Holds(0));
  EXPECT_FALSE(graph.Holds(50));
  EXPECT_TRUE(graph.Holds(51));
  EXPECT_EQ(graph.At(0).begin_ns, 0);
  EXPECT_EQ(graph.At(50).begin_ns, 0);  // the source stands for it
  EXPECT_EQ(graph.At(51).begin_ns, 51);
  EXPECT_EQ(graph.At(100).begin_ns, 100);
  EXPECT_EQ(graph.gc.size(), 51);
}

// Turns of 40 nodes, each of which goes on from the one before it.
TEST(RequestGraphTest, KnowsTheFirstOfATurn) {
  RequestGraph graph;
  const auto add = [&graph](uint64_t event, uint32_t parent) {
    Node node{};
    node.event = event;
    node.parent = parent;
    graph.nodes.push_back(node);
    graph.NoteTurn();
  };
  const auto first = [&graph] {
    return graph.dropped + (&graph.FirstOfTurn() - graph.nodes.data());
  };
  add(0, 0);
  EXPECT_EQ(first(), 0);
  add(0, 0);  // the source's own turn
  EXPECT_EQ(first(), 1);
  for (uint32_t i = 2; i < 200; ++i) {
    add(i / 40 + 1, i % 40 == 0 ? 1 : i - 1);
    EXPECT_EQ(first(), std::max(2U, i / 40 * 40)) << i;
  }
  add(5, 150);  // of the same turn, and caused by an earlier one
  EXPECT_EQ(first(), 200);
  EXPECT_TRUE(graph.IsAfterCauseOfTurn(155));
  EXPECT_FALSE(graph.IsAfterCauseOfTurn(150));
  graph.DropAfter(130);
  EXPECT_EQ(first(), 120);
  graph.Truncate();
  EXPECT_EQ(first(), 120);
  while (graph.Holds(120)) graph.Truncate();
  EXPECT_EQ(first(), graph.dropped + 1);
}

// A stream that stays open: 200,000 events of one request.
TEST(RequestGraphTest, EndlessRequestIsBounded) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  uint64_t next = t.Register();
  t.Event(0, 1, {kRead, 0, 5});
  constexpr int kEvents = 200'000;
  for (int i = 1; i < kEvents; ++i) {
    const uint64_t id = next;
    next = t.Register();
    t.Event(i * 10, i * 10 + 5, {EventType::kTimer, i * 10 - 2, id});
    if (i % 10'000 == 0) t.Cut(i * 10 + 6);
  }
  t.End(kEvents * 10 + 3, 1);
  t.Event(kEvents * 10, kEvents * 10 + 5,
          {EventType::kTimer, kEvents * 10, next});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 1);
  EXPECT_EQ(report["requests"]["truncated"], 1);
  EXPECT_EQ(report["warnings"].size(), 1);
  const Json& request = report["slowest"][0];
  ExpectSums(request);
  EXPECT_EQ(request["truncated"], true);
  ASSERT_EQ(request["path"].size(), 1000);
  EXPECT_GT(request["path"][500]["steps"], 30'000);
  EXPECT_LT(request["path"][500]["steps"], 65'537);
  EXPECT_FALSE(request["path"][501].contains("steps"));
  EXPECT_EQ(request["path"][500]["end_ns"].get<int64_t>() + 5,
            request["path"][501]["begin_ns"].get<int64_t>());
}

// The steps that are merged say what held them all up, not only the first.
TEST(RequestGraphTest, MergedStepsAreBlockedByWhatBlockedEach) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  uint64_t next = t.Register();
  t.Event(0, 1, {kRead, 0, 5});
  constexpr int kEvents = 3000;
  for (int i = 1; i <= kEvents; ++i) {
    const uint64_t id = next;
    t.Event(i * 100, i * 100 + 30,
            {i % 2 == 0 ? EventType::kSignal : EventType::kChild, -1, 6});
    next = t.Register();
    if (i == kEvents) t.End(i * 100 + 35, 1);
    t.Event(i * 100 + 30, i * 100 + 40, {EventType::kTimer, i * 100, id});
  }
  const Json request = ReportOf(t)["slowest"][0];
  const Json& merged = request["path"][500];
  ASSERT_EQ(merged["steps"], kEvents + 1 - 999);
  EXPECT_EQ(merged["queue_ns"], 30 * merged["steps"].get<int>());
  ASSERT_EQ(merged["blocked_by"].size(), 2);
  EXPECT_EQ(merged["blocked_by"][0]["ns"].get<int64_t>() +
                merged["blocked_by"][1]["ns"].get<int64_t>(),
            merged["queue_ns"]);
}

// It waited twice for a moment before all that is kept.
TEST(RequestGraphTest, NoMoreIsHiddenThanWasWaited) {
  TraceBuilder t;
  t.Meta().Start(10, 1);
  const uint64_t first = t.Register();
  t.Event(10, 20, {kRead, 0, 5});
  const uint64_t last = t.Register();
  t.Event(130, 140, {EventType::kTimer, 100, first});
  constexpr int64_t kEvents = LoopTimeline::kWindow + 1000;
  for (int64_t i = 1; i <= kEvents; ++i) {
    t.Event(1000 + 10 * i, 1005 + 10 * i, {EventType::kSignal, -1, 6});
    if (i % 100'000 == 0) t.Cut(1006 + 10 * i);
  }
  const int64_t end = 2000 + 10 * kEvents;
  t.End(end, 1).Event(end, end + 1, {EventType::kTimer, end, last});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["slowest"][0]["queue_ns"], 40);
  ASSERT_EQ(report["warnings"].size(), 1);
  EXPECT_THAT(report["warnings"][0].get<std::string>(),
              ::testing::HasSubstr(" during 40 ns "));
}

// One after the other grows; the room for all stays what it is.
TEST(NodeBudgetTest, ManyOpenRequestsShareIt) {
  constexpr size_t kMax = 10'000;
  constexpr size_t kOpen = 200;
  NodeBudget budget(kMax);
  std::vector<RequestGraph> graphs(kOpen);
  size_t held = 0;
  for (int round = 0; round < 2000; ++round) {
    for (RequestGraph& graph : graphs) budget.Add(&graph, kOpen);
  }
  for (const RequestGraph& graph : graphs) {
    EXPECT_EQ(graph.Size(), 2000);
    EXPECT_GE(graph.nodes.size(), NodeBudget::kFewNodes / 2);
    held += graph.nodes.capacity();
  }
  EXPECT_EQ(budget.held(), held);
  EXPECT_LE(held, kMax * 3 / 2);
}

TEST(NodeBudgetTest, AFewLargeOnesLeaveTheOthersTheirHalfShare) {
  constexpr size_t kMax = 8192;
  NodeBudget budget(kMax);
  std::vector<RequestGraph> streams(8);
  for (int i = 0; i < 1024; ++i) {
    for (RequestGraph& stream : streams) budget.Add(&stream, 8);
  }
  EXPECT_EQ(budget.held(), kMax);
  RequestGraph graph;
  for (int i = 0; i < 300; ++i) budget.Add(&graph, 9);
  EXPECT_FALSE(graph.truncated);
  for (int i = 0; i < 300; ++i) budget.Add(&graph, 9);
  EXPECT_TRUE(graph.truncated);
}

TEST(NodeBudgetTest, ARequestThatEndsGivesBackWhatItHeld) {
  NodeBudget budget(10'000);
  RequestGraph large;
  RequestGraph small;
  for (int i = 0; i < 1000; ++i) budget.Add(&large, 2);
  for (int i = 0; i < 10; ++i) budget.Add(&small, 2);
  budget.Release(&large);
  EXPECT_EQ(large.nodes.capacity(), 0);
  EXPECT_EQ(budget.held(), small.nodes.capacity());
  budget.Release(&small);
  EXPECT_EQ(budget.held(), small.nodes.capacity()) << "kept for the next";
  EXPECT_GT(small.nodes.capacity(), 0);
}

}  // namespace
}  // namespace edgewise
