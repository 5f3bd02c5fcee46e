// The columns of a page say of each request what the report says of all.

#include "analysis/page/page_columns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/page/container/column.h"
#include "analysis/page/loop/time_bins.h"
#include "test/native/analysis/page/page_kit.h"
#include "test/native/analysis/report_kit.h"

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kFs = EventType::kFsRead;

TEST(ColumnTest, HoldsAsManyPlanesAsItsNumbersNeed) {
  Column column("a", /*delta=*/true);
  for (const uint64_t value : {0, 0, 300, 301, 70000}) column.Push(value);
  std::string bytes;
  EXPECT_EQ(column.AppendPlanes(&bytes), 3);
  EXPECT_EQ(bytes.size(), 15);
  const std::vector<uint32_t> order = {4, 0, 2};
  const Column sorted = column.In(order);
  EXPECT_EQ(sorted.At(0), 70000);
  EXPECT_EQ(sorted.At(1), 0);
  EXPECT_EQ(sorted.At(2), 300);

  Column zeros("b");
  zeros.Push(0);
  zeros.Push(0);
  EXPECT_EQ(zeros.AppendPlanes(&bytes), 0);
  EXPECT_EQ(zeros.In(std::vector<uint32_t>{1, 0}).size(), 2);
  EXPECT_EQ(zeros.At(1), 0);
}

TEST(PageTest, EachRequestsPartsAreThoseOfTheReport) {
  TraceBuilder t;
  t.Start(100, 1);
  const uint64_t id = t.Register();
  t.Event(100, 200, {kRead, 100, 5});
  t.Start(300, 2);
  t.Gc(GcType::kScavenge, 350, 450);
  t.End(900, 2, "GET /slow");
  t.Event(300, 1000, {kRead, 290, 6});
  t.End(1250, 1, "GET /waits");
  t.Event(1200, 1300, {kFs, 250, id});
  std::string columns;
  ReportOptions options;
  options.columns = &columns;
  const Json report = ReportOf(t, options);
  Page page(columns);
  Table& requests = page.tables["requests"];
  ASSERT_EQ(requests["io"].size(), 2);
  // By when they came: request 1 first.
  EXPECT_EQ(requests["id"], (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(requests["count"], (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(requests["tail"], (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(requests["queue"][0], report["slowest"][0]["queue_ns"]);
  EXPECT_EQ(requests["io"][0], report["slowest"][0]["io_ns"]);
  EXPECT_EQ(requests["exec"][0], report["slowest"][0]["exec_ns"]);
  EXPECT_EQ(requests["queue_gc"][0], 100);
  EXPECT_EQ(requests["exec_gc"][1], 100);
  EXPECT_EQ(page.head["routes"][requests["route"][0]], "GET /waits");

  // What the tail queued behind is what the report says.
  const std::map<std::string, uint64_t> behind = page.Behind(0);
  for (const Json& blocker : report["blockers"]) {
    EXPECT_EQ(behind.at(blocker["what"]), blocker["queue_ns"].get<uint64_t>())
        << blocker;
  }
  EXPECT_EQ(behind.size(), report["blockers"].size());
  // Both paths are told in steps, the slower request's first.
  Table& steps = page.tables["steps"];
  EXPECT_EQ(steps["request"].front(), 0);
  uint64_t sum = 0;
  for (size_t i = 0; i < steps["request"].size(); ++i) {
    if (steps["request"][i] == 0) {
      sum += steps["io"][i] + steps["queue"][i] + steps["exec"][i];
    }
  }
  EXPECT_EQ(sum,
            requests["io"][0] + requests["queue"][0] + requests["exec"][0]);
}

// A server that is busy for long runs five things that a request of the rest
// waits behind, and one of the tail too.
TEST(PageTest, OfTheRestTheThreeLargestCausesAreTold) {
  TraceBuilder t;
  const auto busy = {EventType::kTimer, EventType::kSignal, EventType::kDns,
                     EventType::kFsStat, EventType::kMessage};
  int64_t at = 100'000;
  for (int round = 0; round < 3; ++round) {
    const int64_t ready = at;
    int64_t length = 10'000'000;
    for (const EventType type : busy) {
      t.Event(at, at + length, {type, 0, 5});
      at += length;
      length /= 3;
    }
    t.Start(at, static_cast<uint32_t>(round + 1));
    const int64_t runs = round == 0 ? 50'000'000 : 1'000'000;
    t.End(at + runs - 10, static_cast<uint32_t>(round + 1), "GET /a");
    t.Event(at, at + runs, {kRead, ready, 6});
    at += runs + 1'000'000;
  }
  std::string columns;
  ReportOptions options;
  options.columns = &columns;
  const Json report = ReportOf(t, options);
  Page page(columns);
  EXPECT_EQ(page.tables["requests"]["tail"], (std::vector<uint64_t>{1, 0, 0}));
  EXPECT_EQ(page.tables["requests"]["blocks"],
            (std::vector<uint64_t>{5, 4, 4}));
  const auto tail = page.Behind(0);
  for (const Json& blocker : report["blockers"]) {
    EXPECT_EQ(tail.at(blocker["what"]), blocker["queue_ns"].get<uint64_t>());
  }
  auto rest = page.Behind(1);
  EXPECT_NEAR(static_cast<double>(rest["(others)"]), 10e6 / 27 + 10e6 / 81,
              0.004 * 10e6 / 20);
  uint64_t sum = 0;
  for (const auto& [what, ns] : rest) sum += ns;
  EXPECT_EQ(sum, page.tables["requests"]["queue"][1]);
}

// Beyond so many requests the fast ones share rows, and every sum is the same.
TEST(PageTest, FastRequestsOfManyShareRows) {
  PageColumns::Plan plan;
  plan.span_ns = 1'000'000'000;
  plan.requests = 1000;
  plan.own_from_ns = 1'000'000;
  PageColumns columns(plan);
  BlameLedger ledger;
  const LoopTimeline timeline(&ledger);
  RequestGraph graph;
  const CriticalPath path{};
  int64_t sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const int64_t ns = i % 100 == 0 ? 5'000'000 : 100'000 + i % 7;
    graph.ready_ns = 1'000'000 * i;
    const EndedRequest request{
        static_cast<uint32_t>(i), static_cast<uint64_t>(i), 0,     200,
        Outcome::kFinished,       graph.ready_ns + ns,      graph, path};
    Components components;
    components.ns[Components::kLatency] = ns;
    components.ns[Components::kExec] = ns;
    columns.Add(request, components, {.tail = ns > 1'000'000, .slow = false},
                timeline, &ledger);
    sum += ns;
  }
  columns.EndFile({.process = 1, .thread = 0, .identity = ""}, &ledger);
  const RouteTable routes;
  const DependencyTable dependencies;
  const auto encoded = columns.Encode({&routes, &dependencies}, {});
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  Page page(*encoded);
  Table& requests = page.tables["requests"];
  EXPECT_LT(requests["count"].size(), 600);
  uint64_t count = 0;
  int64_t exec = 0;
  for (size_t row = 0; row < requests["count"].size(); ++row) {
    count += requests["count"][row];
    exec += static_cast<int64_t>(requests["exec"][row]);
    if (requests["tail"][row] != 0) {
      EXPECT_EQ(requests["count"][row], 1);
    }
  }
  EXPECT_EQ(count, 1000);
  EXPECT_EQ(exec, sum);
  EXPECT_EQ(page.head["limits"].size(), 1);
}

TEST(PageTest, TheLoopIsToldAroundTheSlowest) {
  TraceBuilder t;
  t.Event(100, 500, {EventType::kTimer, 0, 5});
  t.Start(500, 1);
  t.Gc(GcType::kScavenge, 550, 650);
  t.End(900, 1, "GET /a");
  t.Event(500, 1000, {kRead, 150, 6});
  std::string columns;
  ReportOptions options;
  options.columns = &columns;
  ReportOf(t, options);
  Page page(columns);
  Table& slices = page.tables["slices"];
  std::vector<std::string> ran;
  for (const uint64_t blocker : slices["blocker"]) {
    ran.push_back(page.head["blockers"][blocker]["what"]);
  }
  EXPECT_EQ(ran,
            (std::vector<std::string>{"(no request) timer", "GET /a tcp_read",
                                      "GC scavenge", "GET /a tcp_read"}));
  EXPECT_EQ(slices["length"], (std::vector<uint64_t>{400, 50, 100, 350}));
  EXPECT_EQ(page.tables["queues"]["length"], (std::vector<uint64_t>{1, 0}));
  uint64_t minor = 0;
  for (const uint64_t ns : page.tables["bins"]["minor_gc"]) minor += ns;
  EXPECT_EQ(minor, 100);
}

TEST(PageTest, AConnectionIsNewOnceAndKeptLater) {
  TraceBuilder t;
  const auto read = [&](int32_t fd, uint32_t id, uint32_t flags) {
    const int64_t begin = 1000 * id;
    t.Start(begin, id);
    t.End(begin + 90, id, "GET /a");
    TraceBuilder::EventSpec spec{kRead, begin, 6};
    spec.fd = fd;
    spec.flags = flags;
    t.Event(begin, begin + 100, spec);
  };
  read(7, 1, kFlagNewConnection);
  read(7, 2, 0);
  read(8, 3, 0);  // From another process: it was not seen to be accepted.
  read(8, 4, 0);
  std::string columns;
  ReportOptions options;
  options.columns = &columns;
  ReportOf(t, options);
  Page page(columns);
  EXPECT_EQ(page.tables["requests"]["connection"],
            (std::vector<uint64_t>{2, 1, 0, 1}));
}

TEST(TimeBinsTest, GrowWiderAsThereAreMore) {
  TimeBins bins;
  OffSpan span{0, 0, OffCpuKind::kThrottled};
  int64_t sum = 0;
  for (int64_t ms = 0; ms < 10'000; ++ms) {
    span.begin_ns = ms * 3'000'000;
    span.end_ns = span.begin_ns + 1'500'000;
    bins.OnIdleOff(span);
    sum += 1'500'000;
  }
  EXPECT_LE(bins.bins().size(), TimeBins::kMost);
  int64_t found = 0;
  for (const auto& [number, ns] : bins.bins()) {
    found += ns[TimeBins::kOff + static_cast<size_t>(OffCpuKind::kThrottled)];
  }
  EXPECT_EQ(found, sum);
}

TEST(PageTest, AQueuesLengthIsOfThoseThatWaitedThen) {
  TraceBuilder t;
  // Three that come while the first runs.
  t.Start(100, 1);
  t.End(900, 1, "GET /a");
  t.Event(100, 1000, {kRead, 100, 5});
  for (uint32_t i = 0; i < 3; ++i) {
    const int64_t begin = 1000 + 100 * i;
    t.Start(begin, 2 + i);
    t.End(begin + 90, 2 + i, "GET /b");
    t.Event(begin, begin + 100, {kRead, 200 + 10 * i, 6});
  }
  std::string columns;
  ReportOptions options;
  options.columns = &columns;
  ReportOf(t, options);
  Page page(columns);
  EXPECT_EQ(page.tables["requests"]["waiting"],
            (std::vector<uint64_t>{0, 0, 1, 2}));
}

}  // namespace
}  // namespace edgewise
