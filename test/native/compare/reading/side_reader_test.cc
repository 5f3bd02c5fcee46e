#include "compare/reading/side_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compare/reading/sides.h"
#include "test/native/analysis/random_trace.h"
#include "test/native/analysis/report_kit.h"
#include "test/native/analysis/trace_builder.h"

// The sides of a comparison are what the report says of their traces.

namespace edgewise {
namespace {

using ::testing::ElementsAre;

struct Read {
  Recording files;
  SideNames names;
  Json report;
};

Read ReadTraces(const std::vector<std::string>& traces) {
  NameTable names;
  SideReader reader(&names);
  ReportOptions options;
  options.watcher = &reader;
  Read read;
  read.report = ReportOf(traces, options);
  read.files = reader.TakeFiles();
  read.names = names.names();
  return read;
}

TEST(SideReaderTest, PartsAndDetailsSumToTheLatency) {
  uint64_t requests = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Read read = ReadTraces(
        {RandomTraceGenerator({.seed = static_cast<uint32_t>(seed)}).Run()});
    const Side side = SideOf({&read.files, 1});
    EXPECT_EQ(side.requests(), read.report["requests"]["count"]) << seed;
    for (const auto& run : side.runs) {
      for (const ComparedRequest& request : run.requests) {
        ++requests;
        double parts_ns = 0;
        for (const float ns : request.parts_ns) parts_ns += ns;
        EXPECT_NEAR(parts_ns, request.latency_ns, 2) << seed;
        double io_ns = 0;
        double queue_ns = 0;
        for (uint32_t i = 0; i < request.details; ++i) {
          const DetailTime& each = run.details[request.first_detail + i];
          const bool io =
              read.names.details[each.detail].part == LatencyPart::kIo;
          (io ? io_ns : queue_ns) += each.ns;
        }
        EXPECT_NEAR(io_ns, request.parts_ns[0], 2) << seed;
        EXPECT_NEAR(queue_ns, request.parts_ns[1], 2) << seed;
      }
    }
  }
  EXPECT_GT(requests, 100u);
}

// Requests on one connection, of 100 bytes each.
std::string OneConnection(uint32_t process, int64_t begin_ns) {
  TraceBuilder t(process);
  t.Meta();
  t.Connection(begin_ns, 1, 12, ConnectionRole::kAccepted);
  t.Event(begin_ns, begin_ns + 10, {EventType::kAccept, begin_ns, 4});
  for (uint32_t i = 0; i < 3; ++i) {
    const int64_t at_ns = begin_ns + 1000 * (i + 1);
    t.Start(at_ns, i + 1, RequestKind::kHttp1, 100 * i);
    t.End(at_ns + 50, i + 1, "GET /");
    t.Event(at_ns, at_ns + 100,
            {EventType::kTcpRead, at_ns, 5, ReadyKind::kObserved, 0, 12});
  }
  return t.Bytes();
}

TEST(SideReaderTest, HowLongARequestIsAndWhoseConnection) {
  const Read read = ReadTraces({OneConnection(1, 0)});
  const Side side = SideOf({&read.files, 1});
  ASSERT_EQ(side.runs.size(), 1u);
  std::vector<float> bytes;
  std::vector<uint32_t> clients;
  for (const ComparedRequest& request : side.runs[0].requests) {
    bytes.push_back(request.bytes);
    clients.push_back(request.client);
  }
  EXPECT_THAT(bytes, ElementsAre(100, 100, -1));
  EXPECT_THAT(clients, ElementsAre(1, 1, 1));
  EXPECT_THAT(side.recorded.how, ElementsAre("causality promises",
                                             "mode stream", "provider stock"));
}

TEST(SidesTest, ProcessesAreOneRunAndTheirConnectionsDiffer) {
  const Read read = ReadTraces({OneConnection(1, 0), OneConnection(2, 500)});
  const Side side = SideOf({&read.files, 1});
  ASSERT_EQ(side.runs.size(), 1u);
  const std::vector<ComparedRequest>& requests = side.runs[0].requests;
  ASSERT_EQ(requests.size(), 6u);
  for (size_t i = 1; i < requests.size(); ++i) {
    EXPECT_LE(requests[i - 1].at_ns, requests[i].at_ns);
    EXPECT_NE(requests[i - 1].client, requests[i].client);
  }
}

TEST(SidesTest, EachProcessAgainstTheOthers) {
  const Read read = ReadTraces(
      {OneConnection(1, 0), OneConnection(2, 0), OneConnection(3, 0)});
  const std::vector<SplitValue> values =
      ValuesOf({&read.files, 1}, SplitBy::kProcess);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[1].text, "process 2");
  const Split split = SplitAt({&read.files, 1}, SplitBy::kProcess, values[1]);
  EXPECT_EQ(split.some.requests(), 3u);
  EXPECT_EQ(split.others.requests(), 6u);
}

TEST(SidesTest, EachMinuteAgainstTheOthers) {
  constexpr int64_t kMinuteNs = 60'000'000'000;
  Recording recording(1);
  for (int64_t i = 0; i < 50; ++i) {
    const auto number = static_cast<uint32_t>(i);
    recording[0].run.requests.push_back(
        {i * kMinuteNs / 10, 1, 0, 0, {}, -1, number, 1});
    recording[0].run.details.push_back({0, static_cast<float>(i)});
  }
  const std::vector<SplitValue> values =
      ValuesOf({&recording, 1}, SplitBy::kMinute);
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(values[2].text, "1970-01-01T00:02Z");
  const Split split = SplitAt({&recording, 1}, SplitBy::kMinute, values[2]);
  ASSERT_EQ(split.some.runs.size(), 1u);
  EXPECT_EQ(split.some.requests(), 10u);
  ASSERT_EQ(split.others.runs.size(), 2u) << "before it, and after it";
  EXPECT_EQ(split.others.requests(), 40u);
  const auto& after = split.others.runs[1];
  EXPECT_EQ(after.details[after.requests[0].first_detail].ns, 30);
}

TEST(SidesTest, RareRoutesBecomeOne) {
  Side side;
  side.runs.resize(1);
  SideNames names;
  for (uint32_t route = 0; route < 10; ++route) {
    names.routes.push_back("GET /" + std::to_string(route));
    for (uint32_t i = 0; i <= route; ++i) {
      side.runs[0].requests.push_back({0, 1, route, 0, {}});
    }
  }
  Side* const sides[] = {&side};
  MergeRareRoutes(4, sides, &names);
  EXPECT_EQ(names.routes[10], "(other routes)");
  uint64_t others = 0;
  for (const ComparedRequest& request : side.runs[0].requests) {
    if (request.route == 10) ++others;
    EXPECT_TRUE(request.route >= 7);
  }
  EXPECT_EQ(others, 1u + 2 + 3 + 4 + 5 + 6 + 7);
}

}  // namespace
}  // namespace edgewise
