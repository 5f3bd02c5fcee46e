#include <gtest/gtest.h>

#include <vector>

#include "test/native/analysis/report_kit.h"

// What is left out of a report: the requests of the first seconds, the files of
// other threads.

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;

TEST(SkipTest, LeavesOutTheWarmUp) {
  TraceBuilder t;
  t.Meta();
  for (uint32_t id = 1; id <= 10; ++id) {
    const int64_t at = 100 * id;
    t.Start(at, id).End(at + 10 * id, id, "GET /");
    t.Event(at, at + 10 * id, {kRead, at, 5});
  }
  ReportOptions options;
  options.skip_ns = 800;  // the first one begins at 100
  const Json report = ReportOf(t, options);
  EXPECT_EQ(report["requests"]["skipped"], 8);
  EXPECT_EQ(report["requests"]["count"], 2);
  EXPECT_EQ(report["latency_ns"]["p50"], 90);
  EXPECT_EQ(report["latency_ns"]["max"], 100);
  EXPECT_EQ(
      report["rest"]["count"].get<int>() + report["tail"]["count"].get<int>(),
      2);
  options.skip_ns = -1;
  EXPECT_FALSE(BuildReport(std::vector<TraceBytes>{}, options).ok());
}

// Ten jobs, at 1000, 2000, ...: those before 8000 are jobs a, and fail, but the
// second and the eighth, which is b, are aborted.
TraceBuilder TenJobs() {
  TraceBuilder t;
  t.Meta();
  for (uint32_t id = 1; id <= 10; ++id) {
    const int64_t at = 1000 * id;
    const auto outcome = id == 2 || id == 8 ? Outcome::kAborted
                         : id < 8           ? Outcome::kFailed
                                            : Outcome::kFinished;
    t.Start(at, id, RequestKind::kCustom);
    t.End(at + 10, id, id < 8 ? "job a" : "job b", 0, 0, outcome);
    t.Event(at, at + 10, {EventType::kTimer, at, 5});
  }
  return t;
}

void ExpectRequests(const Json& requests, int count, int failed, int aborted,
                    int skipped) {
  EXPECT_EQ(requests["count"], count);
  EXPECT_EQ(requests["failed"], failed);
  EXPECT_EQ(requests["aborted"], aborted);
  EXPECT_EQ(requests["skipped"], skipped);
}

TEST(SkipTest, OutcomesAreThoseOfTheRequestsThatCount) {
  TraceBuilder t = TenJobs();
  ExpectRequests(ReportOf(t)["requests"], 8, 6, 2, 0);
  ReportOptions options;
  options.skip_ns = 5500;  // the first one begins at 1000
  ExpectRequests(ReportOf(t, options)["requests"], 3, 1, 1, 6);
  options.routes.only = "job b";
  ExpectRequests(ReportOf(t, options)["requests"], 2, 0, 1, 0);
  options.skip_ns = 0;
  options.routes.only = "job a";
  ExpectRequests(ReportOf(t, options)["requests"], 6, 6, 1, 0);
}

TEST(SkipTest, RoutesThatAreLeftOutAreInNoOtherNumber) {
  TraceBuilder t = TenJobs();
  ReportOptions all;
  const Json whole = ReportOf(t, all);
  EXPECT_EQ(whole["requests"]["left_out"], 0);
  ReportOptions options;
  options.routes.left_out = {"job a", "job nowhere"};
  ReportOptions only;
  only.routes.only = "job b";
  const Json without = ReportOf(t, options);
  const Json one = ReportOf(t, only);
  for (const char* part : {"tail", "rest", "routes", "blockers"}) {
    EXPECT_EQ(without[part], one[part]) << part;
  }
  EXPECT_EQ(without["requests"]["left_out"], 7);
  EXPECT_EQ(without["requests"]["count"], one["requests"]["count"]);
  // What is left out still occupies the loop.
  EXPECT_EQ(without["loop"], whole["loop"]);
}

// The route is there: an error that names it among those there misleads.
TEST(SkipTest, ARouteOfWhichNothingIsLeftIsNoUnknownOne) {
  TraceBuilder t = TenJobs();
  ReportOptions options;
  options.routes.only = "job a";
  options.skip_ns = 20'000;
  ExpectRequests(ReportOf(t, options)["requests"], 0, 0, 0, 7);
  TraceBuilder u;
  u.Meta().Start(100, 1);
  u.End(110, 1, "GET /away", 0, 0, Outcome::kAborted);
  u.Event(100, 110, {kRead, 100, 5});
  options.routes.only = "GET /away";
  options.skip_ns = 0;
  ExpectRequests(ReportOf(u, options)["requests"], 0, 0, 1, 0);
}

TEST(SkipTest, CountsWhoCameBeforeTheFirstThatIsRead) {
  TraceBuilder t;
  t.Meta();
  t.Start(200, 1).End(210, 1, "GET /late");
  t.Event(200, 210, {kRead, 200, 5});
  t.Start(220, 2).End(230, 2, "GET /early");
  t.Event(220, 230, {kRead, 100, 6});
  EXPECT_EQ(ReportOf(t)["requests"]["count"], 2);
  ReportOptions options;
  options.skip_ns = 50;
  const auto report = ReportOf(t, options);
  EXPECT_EQ(report["requests"]["count"], 0);
  EXPECT_EQ(report["requests"]["skipped"], 2);
}

// Nobody knows whose it is: also the report of one thread tells it.
TEST(ChosenThreadTest, AFileThatCannotBeReadIsAProblem) {
  TraceBuilder t = TenJobs();
  ReportOptions options;
  options.thread = 0;
  const Json report = ReportOf({t.Bytes(), ""}, options);
  EXPECT_EQ(report["requests"]["count"], 8);
  ASSERT_EQ(report["problems"].size(), 1);
  EXPECT_EQ(report["problems"][0]["what"], "the file is empty");
  options.thread = 1;
  EXPECT_FALSE(
      BuildReport(std::vector<TraceBytes>{{"1-1.ewt", ""}}, options).ok());
}

}  // namespace
}  // namespace edgewise
