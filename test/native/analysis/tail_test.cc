#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/native/analysis/report_kit.h"

// What the report sums up: tail against rest, what the queueing consists of,
// who is to blame, garbage collections; and the options that choose.

namespace edgewise {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kRead = EventType::kTcpRead;

// Nine requests of 10 ns; the tenth waits behind, in order, 20 ns of a timer of
// nobody, 30 ns of GET /slow, a collection of 40 ns inside that, 5 ns of
// nothing, and a collection of 15 ns between events.
TraceBuilder TenRequests() {
  TraceBuilder t;
  t.Meta();
  for (uint32_t id = 1; id <= 9; ++id) {
    const int64_t at = 100 * id;
    t.Start(at, id).End(at + 10, id, "GET /fast");
    t.Event(at, at + 10, {kRead, at, 5});
  }
  t.Event(1000, 1020, {EventType::kTimer, 990, 7});
  t.Start(1020, 20);
  const uint64_t more = t.Register();
  t.Gc(GcType::kScavenge, 1030, 1070);
  t.Event(1020, 1090, {kRead, 1010, 6});
  t.Gc(GcType::kMarkSweepCompact, 1095, 1110);
  t.Start(1110, 10).End(1130, 10, "POST /tail");
  t.Event(1110, 1140, {kRead, 1000, 5});
  t.End(1160, 20, "GET /slow");
  t.Event(1150, 1170, {EventType::kFsRead, 1145, more});
  return t;
}

TEST(TailTest, TailAndRest) {
  TraceBuilder t = TenRequests();
  ReportOptions options;
  options.percentile = 90;
  const Json report = ReportOf(t, options);
  EXPECT_EQ(report["requests"]["count"], 11);
  EXPECT_EQ(report["latency_ns"]["p50"], 10);
  EXPECT_EQ(report["latency_ns"]["p90"], 130);
  EXPECT_EQ(report["latency_ns"]["max"], 150);
  EXPECT_EQ(report["tail"]["percentile"], 90);
  EXPECT_EQ(report["tail"]["threshold_ns"], 130);
  EXPECT_EQ(report["tail"]["count"], 2);
  EXPECT_EQ(report["rest"]["count"], 9);
  EXPECT_EQ(report["rest"]["mean_latency_ns"], 10);
  EXPECT_EQ(report["rest"]["exec_ns"], 10);
  // POST /tail: queue 110, exec 20. GET /slow: queue 10, exec 70, then io 55,
  // queue 5, exec 10.
  EXPECT_EQ(report["tail"]["mean_latency_ns"], 140);
  EXPECT_EQ(report["tail"]["queue_ns"], (110 + 10 + 5 + 1) / 2);
  EXPECT_EQ(report["tail"]["exec_ns"], (20 + 70 + 10) / 2);
  EXPECT_EQ(report["tail"]["exec"]["gc_ns"], 20);
  EXPECT_EQ(report["tail"]["exec"]["native_ns"], 30);
  EXPECT_EQ(report["tail"]["exec"]["jit_ns"], nullptr);
  EXPECT_EQ(report["tail"]["exec"]["ic_ns"], nullptr);
}

TEST(TailTest, WhatTheLoopDidMeanwhile) {
  TraceBuilder t = TenRequests();
  ReportOptions options;
  options.routes.only = "POST /tail";
  const Json report = ReportOf(t, options);
  EXPECT_EQ(report["requests"]["count"], 1);
  const Json& queue = report["tail"]["queue"];
  EXPECT_EQ(report["tail"]["queue_ns"], 110);
  EXPECT_EQ(queue["gc_ns"], 40 + 15);
  EXPECT_EQ(queue["loop_ns"], 5);
  EXPECT_EQ(queue["native_ns"], 20 + 30);
  EXPECT_EQ(queue["own_ns"], 0);
  EXPECT_EQ(queue["other_requests_ns"], 70);
  EXPECT_EQ(queue["unowned_ns"], 20 + 15);
  EXPECT_EQ(queue["jit_ns"], nullptr);
}

TEST(TailTest, Blockers) {
  TraceBuilder t = TenRequests();
  ReportOptions options;
  options.routes.only = "POST /tail";
  const Json blockers = ReportOf(t, options)["blockers"];
  ASSERT_THAT(blockers, SizeIs(5));
  const auto is = [&](size_t i, const char* what, const char* kind,
                      int64_t ns) {
    EXPECT_EQ(blockers[i]["what"], what);
    EXPECT_EQ(blockers[i]["kind"], kind);
    EXPECT_EQ(blockers[i]["queue_ns"], ns);
    EXPECT_NEAR(blockers[i]["share"].get<double>(),
                static_cast<double>(ns) / 110, 1e-6);
    EXPECT_EQ(blockers[i]["requests"], 1);
  };
  is(0, "GC scavenge", "gc", 40);
  // Its route is known only when it ends, after the request that it blocks.
  is(1, "GET /slow tcp_read", "request", 30);
  is(2, "(no request) timer", "event", 20);
  is(3, "GC mark_sweep_compact", "gc", 15);
  is(4, "(between callbacks)", "loop", 5);
  EXPECT_EQ(blockers[1]["route"], "GET /slow");
  EXPECT_EQ(blockers[1]["type"], "tcp_read");
}

// Two events of one batch: both waited until the loop was awake, the second one
// behind the first as well.
TEST(TailTest, WakingUpIsToldFromTheTimeBetweenCallbacks) {
  constexpr auto kSeen = ReadyKind::kObserved;
  TraceBuilder t;
  t.Meta().Start(100, 1).End(110, 1, "GET /first");
  t.Event(100, 110, {kRead, 70, 5, kSeen, kFlagLoopSlept});
  t.Start(112, 2).End(120, 2, "GET /second");
  t.Event(112, 120, {kRead, 80, 6, kSeen, kFlagLoopSlept});
  t.Start(225, 3).End(230, 3, "GET /third");
  t.Event(225, 230, {kRead, 205, 5});
  const auto queue = [&](const char* route) {
    ReportOptions options;
    options.routes.only = route;
    return ReportOf(t, options)["tail"]["queue"];
  };
  EXPECT_EQ(queue("GET /first")["wake_ns"], 30);
  EXPECT_EQ(queue("GET /second")["loop_ns"], 22);
  EXPECT_EQ(queue("GET /second")["wake_ns"], 22);
  EXPECT_EQ(queue("GET /third")["loop_ns"], 20);
  EXPECT_EQ(queue("GET /third")["wake_ns"], 0);
  const Json step = RequestOf(t, 2)["path"][0];
  EXPECT_EQ(step["blocked_by"][0]["what"], "(waking up)");
  EXPECT_EQ(step["blocked_by"][0]["ns"], 22);
}

TEST(TailTest, BlockersOfOneStep) {
  TraceBuilder t = TenRequests();
  const Json step = RequestOf(t, 10)["path"][0];
  ASSERT_THAT(step["blocked_by"], SizeIs(3));
  EXPECT_EQ(step["blocked_by"][0]["what"], "GC scavenge");
  EXPECT_EQ(step["blocked_by"][1]["what"], "GET /slow tcp_read");
  EXPECT_EQ(step["blocked_by"][1]["ns"], 30);
  EXPECT_EQ(step["blocked_by"][2]["what"], "(no request) timer");
}

TEST(TailTest, BlockerThatNeverEnds) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  t.Event(0, 100, {kRead, 0, 5});
  t.Start(100, 2).End(110, 2);
  t.Event(100, 120, {kRead, 50, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["blockers"][0]["what"], "(unfinished) tcp_read");
  EXPECT_EQ(report["blockers"][0]["queue_ns"], 50);
}

TEST(TailTest, OwnEventsOffThePathAreOwnQueueing) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  const uint64_t first = t.Register();
  const uint64_t second = t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  t.Event(20, 50, {EventType::kFsRead, 15, first});
  t.End(60, 1);
  t.Event(50, 70, {EventType::kFsRead, 30, second});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["tail"]["io_ns"], 20);
  EXPECT_EQ(report["tail"]["queue_ns"], 20);
  EXPECT_EQ(report["tail"]["queue"]["own_ns"], 20);
  EXPECT_EQ(report["tail"]["queue"]["other_requests_ns"], 0);
  EXPECT_EQ(report["tail"]["queue"]["native_ns"], 20);
}

TEST(TailTest, CollectionsAreCountedOnceAndByType) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  // As V8 reports them: (4, 16, 16, 4).
  t.Gc(GcType::kWeakCallbacks, 20, 25, 1);
  t.Gc(GcType::kMarkSweepCompact, 10, 40, 0);
  t.Gc(GcType::kScavenge, 50, 60, 0);
  t.End(90, 1);
  t.Gc(GcType::kScavenge, 92, 97, 0);
  t.Event(0, 100, {kRead, 0, 5});
  t.Gc(GcType::kScavenge, 110, 120, 0);
  const Json report = ReportOf(t);
  EXPECT_EQ(report["gc"]["count"], 4);
  EXPECT_EQ(report["gc"]["total_ns"], 55);
  EXPECT_EQ(report["gc"]["by_type"]["scavenge"]["count"], 3);
  EXPECT_EQ(report["gc"]["by_type"]["mark_sweep_compact"]["total_ns"], 30);
  EXPECT_EQ(report["tail"]["exec"]["gc_ns"], 40);
  ASSERT_THAT(report["exec_gc"], SizeIs(2));
  EXPECT_EQ(report["exec_gc"][0]["type"], "scavenge");
  EXPECT_EQ(report["exec_gc"][0]["exec_ns"], 10);
  EXPECT_EQ(report["exec_gc"][1]["exec_ns"], 30);
  EXPECT_NEAR(report["exec_gc"][1]["share"].get<double>(), 30.0 / 90, 1e-6);
}

// A collection in the first slice of a shared event counts for each request
// that the event resumes; one in a slice for that request only.
TEST(TailTest, CollectionInASharedEvent) {
  TraceBuilder t;
  t.Meta();
  uint64_t awaits[3];
  for (uint32_t id = 1; id <= 2; ++id) {
    t.Start(100 * id, id);
    awaits[id] = t.Event(100 * id, 100 * id + 10, {kRead, 100 * id, 5});
  }
  t.Gc(GcType::kScavenge, 1005, 1009);
  t.Slice(1020, awaits[1]);
  t.Gc(GcType::kScavenge, 1022, 1024);
  t.End(1030, 1);
  t.Slice(1040, awaits[2]);
  t.End(1050, 2);
  t.Event(1000, 1060, {kRead, 1000, 3});
  EXPECT_EQ(PathOf(RequestOf(t, 1))[1], (StepTimes{"tcp_read", 890, 0, 30, 6}));
  EXPECT_EQ(PathOf(RequestOf(t, 2))[1],
            (StepTimes{"tcp_read", 790, 20, 30, 4}));
}

TEST(TailTest, RoutesHaveTheirOwnThresholds) {
  TraceBuilder t = TenRequests();
  ReportOptions options;
  options.percentile = 50;
  const Json routes = ReportOf(t, options)["routes"];
  ASSERT_THAT(routes, SizeIs(3));
  EXPECT_EQ(routes[0]["route"], "GET /slow");
  EXPECT_EQ(routes[1]["route"], "POST /tail");
  EXPECT_EQ(routes[2]["route"], "GET /fast");
  EXPECT_EQ(routes[2]["count"], 9);
  EXPECT_EQ(routes[2]["tail"]["threshold_ns"], 10);
  EXPECT_EQ(routes[2]["tail"]["count"], 9);
  EXPECT_EQ(routes[2]["rest"]["count"], 0);
  EXPECT_EQ(routes[2]["rest"]["io_ns"], nullptr);
}

TEST(TailTest, SeveralFilesAreMerged) {
  TraceBuilder a(10, 0);
  a.Meta(R"({"provider":"stock","node":"v20.1.0","fidelity":{"timer":"x"}})");
  a.Start(10, 1).End(20, 1, "GET /a");
  a.Event(10, 30, {kRead, 10, 5});
  TraceBuilder b(10, 3);
  b.Meta(R"({"provider":"stock","node":"v22.0.0","fidelity":{"timer":"y"},)"
         R"("watcher":{"available":false}})");
  b.Start(10, 1).End(40, 1, "GET /b");
  b.Event(10, 50, {kRead, 10, 5});
  const std::vector<std::string> files = {a.Bytes(), b.Bytes()};
  const Json report = ReportOf(files);
  EXPECT_EQ(report["requests"]["count"], 2);
  EXPECT_EQ(report["processes"], 1);
  EXPECT_EQ(report["threads"], 2);
  EXPECT_EQ(report["provider"], "stock");
  EXPECT_EQ(report["node"], Json({"v20.1.0", "v22.0.0"}));
  EXPECT_EQ(report["fidelity"]["timer"], Json({"x", "y"}));
  EXPECT_EQ(report["watcher"]["available"], false);
  EXPECT_EQ(report["loop"]["busy_ns"], 20 + 40);
  ASSERT_THAT(report["slowest"], SizeIs(2));
  EXPECT_EQ(report["slowest"][0]["thread"], 3);
  EXPECT_EQ(report["slowest"][0]["route"], "GET /b");

  ReportOptions options;
  options.thread = 3;
  EXPECT_EQ(ReportOf(files, options)["requests"]["count"], 1);
  options.thread = -1;
  options.request = 1;
  const Json two = ReportOf(files, options);
  ASSERT_THAT(two["warnings"], SizeIs(1));
  EXPECT_THAT(two["warnings"][0].get<std::string>(),
              HasSubstr("2 requests have the id"));
}

TEST(TailTest, SlowestAreSortedAndLimited) {
  TraceBuilder t = TenRequests();
  ReportOptions options;
  options.slowest = 3;
  const Json slowest = ReportOf(t, options)["slowest"];
  ASSERT_THAT(slowest, SizeIs(3));
  EXPECT_EQ(slowest[0]["id"], 20);
  EXPECT_EQ(slowest[1]["id"], 10);
  EXPECT_EQ(slowest[2]["id"], 1);
  for (const Json& request : slowest) ExpectSums(request);
  options.slowest = 0;
  EXPECT_THAT(ReportOf(t, options)["slowest"], SizeIs(0));
}

class TailDirectoryTest : public ::testing::Test {
 protected:
  TailDirectoryTest()
      : dir_(std::filesystem::temp_directory_path() /
             ("edgewise-tail-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(dir_);
  }
  ~TailDirectoryTest() override { std::filesystem::remove_all(dir_); }
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(dir_ / name, std::ios::binary) << bytes;
  }

  const std::filesystem::path dir_;
};

TEST_F(TailDirectoryTest, OptionsOutsideTheirRange) {
  TraceBuilder t = TenRequests();
  Write("1-0.ewt", t.Bytes());
  const auto code = [&](const ReportOptions& options) {
    return BuildReport(dir_, options).status().code();
  };
  for (const double percentile : {0.0, 100.0, -1.0, 0.0 / 0.0}) {
    ReportOptions options;
    options.percentile = percentile;
    EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument) << percentile;
  }
  ReportOptions options;
  options.slowest = -1;
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument);
  options = {};
  options.request = int64_t{1} << 32;
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument);
  options = {};
  options.process = -2;
  EXPECT_EQ(code(options), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
}

TEST_F(TailDirectoryTest, WhatIsNotThereIsNamed) {
  const auto message = [&](const std::string& dir,
                           const ReportOptions& options) {
    const auto report = BuildReport(dir, options);
    EXPECT_EQ(report.status().code(), absl::StatusCode::kNotFound);
    return std::string(report.status().message());
  };
  EXPECT_THAT(message("/nonexistent/trace", {}),
              HasSubstr("/nonexistent/trace"));
  EXPECT_THAT(message(dir_, {}), HasSubstr("<pid>-<thread>.ewt"));
  Write("9-0.ewt", "not a trace at all");
  EXPECT_THAT(message(dir_, {}), HasSubstr("9-0.ewt: not an edgewise trace"));
  TraceBuilder t = TenRequests();
  Write("1-0.ewt", t.Bytes());
  ReportOptions options;
  options.routes.only = "GET /nowhere";
  EXPECT_THAT(message(dir_, options), HasSubstr("GET /fast"));
  options = {};
  options.request = 4711;
  EXPECT_THAT(message(dir_, options), HasSubstr("4711"));
  options = {};
  options.process = 2;
  EXPECT_THAT(message(dir_, options), HasSubstr("process and thread"));
}

TEST_F(TailDirectoryTest, BadFilesBesideGoodOnesAreProblems) {
  TraceBuilder t = TenRequests();
  Write("1-0.ewt", t.Bytes());
  Write("2-0.ewt", "");
  Write("3-0.ewt", std::string(500, '?'));
  Write("notes.txt", "nobody's business");
  std::filesystem::create_directory(dir_ / "4-0.ewt");
  const Json report = Json::parse(*BuildReport(dir_, {}));
  EXPECT_EQ(report["requests"]["count"], 11);
  ASSERT_THAT(report["problems"], SizeIs(3));
  EXPECT_EQ(report["problems"][0]["file"], "2-0.ewt");
  EXPECT_EQ(report["problems"][1]["file"], "3-0.ewt");
  EXPECT_EQ(report["problems"][1]["bytes"], 500);
  EXPECT_EQ(report["problems"][2]["file"], "4-0.ewt");
}

TEST_F(TailDirectoryTest, RequestLines) {
  TraceBuilder t = TenRequests();
  Write("1-0.ewt", t.Bytes());
  ReportOptions options;
  options.requests_path = dir_ / "requests.jsonl";
  ASSERT_TRUE(BuildReport(dir_, options).ok());
  struct stat info;
  ASSERT_EQ(stat(options.requests_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600);
  std::ifstream lines(options.requests_path);
  std::string line;
  std::vector<Json> requests;
  while (std::getline(lines, line)) requests.push_back(Json::parse(line));
  ASSERT_THAT(requests, SizeIs(11));
  EXPECT_EQ(requests[9].dump(),
            R"({"id":10,"process":1,"thread":0,"route":"POST /tail",)"
            R"("status":200,"start_ns":1000001000,"end_ns":1000001130,)"
            R"("latency_ns":130,"io_ns":0,"queue_ns":110,"exec_ns":20,)"
            R"("gc_ns":55,"not_running_ns":null,"inferred":0,"bounds":0})");

  options.requests_path = dir_ / "nowhere" / "requests.jsonl";
  const auto failed = BuildReport(dir_, options);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(failed.status().message()),
              HasSubstr(options.requests_path));
  options.requests_path = "/dev/full";
  EXPECT_THAT(std::string(BuildReport(dir_, options).status().message()),
              HasSubstr("No space left"));
}

}  // namespace
}  // namespace edgewise
