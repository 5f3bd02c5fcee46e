#include <gtest/gtest.h>

#include "test/native/analysis/report_kit.h"

namespace edgewise {
namespace {

TEST(LoopJson, TheBusiestThreadIsToldBesideTheSum) {
  TraceBuilder idle(10, 0);
  idle.Meta();
  idle.Event(10, 30, {EventType::kTcpRead, 10, 5});
  idle.Finish(1000);
  TraceBuilder busy(10, 3);
  busy.Meta();
  busy.Event(10, 50, {EventType::kTcpRead, 10, 5});
  busy.Finish(100);
  const Json alone = ReportOf(busy)["loop"];
  const Json both = ReportOf({idle.Bytes(), busy.Bytes()})["loop"];
  EXPECT_EQ(both["busy_ns"], 20 + 40);
  EXPECT_GT(both["span_ns"], 1000);
  EXPECT_LT(both["utilisation"], 0.1);
  const Json& busiest = both["busiest"];
  EXPECT_EQ(busiest["process"], 10);
  EXPECT_EQ(busiest["thread"], 3);
  EXPECT_EQ(busiest["busy_ns"], 40);
  EXPECT_EQ(busiest["span_ns"], alone["span_ns"]);
  EXPECT_EQ(busiest["utilisation"], alone["utilisation"]);
}

TEST(LoopJson, ACollectionOfALostEventBeforeAnyOtherCounts) {
  TraceBuilder t;
  t.Meta().Gc(GcType::kScavenge, 20, 50).Loss(100, 1);
  t.Start(200, 1).End(210, 1);
  t.Event(200, 220, {EventType::kTcpRead, 200, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["gc"]["by_type"]["scavenge"]["count"], 1);
  EXPECT_EQ(report["requests"]["count"], 1);
}

}  // namespace
}  // namespace edgewise
