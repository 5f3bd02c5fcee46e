// The tables of a trace say what its report says: sums of both are equal, also
// of traces that are faulty.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report.h"
#include "test/native/analysis/random_trace.h"
#include "test/native/analysis/report_kit.h"
#include "test/native/analysis/trace_builder.h"
#include "test/native/parquet/parquet_reader.h"

namespace edgewise {
namespace {

using TableRow = std::map<std::string, ParquetFile::Cell>;

int64_t WholeOf(const TableRow& row, const std::string& column) {
  const ParquetFile::Cell& cell = row.at(column);
  const auto* const value = std::get_if<int64_t>(&cell);
  return value == nullptr ? 0 : *value;
}
std::string NameIn(const TableRow& row, const std::string& column) {
  const auto* const value = std::get_if<std::string>(&row.at(column));
  return value == nullptr ? "" : *value;
}
bool IsMissing(const TableRow& row, const std::string& column) {
  return std::holds_alternative<std::monostate>(row.at(column));
}
using RequestName = std::pair<int64_t, int64_t>;
RequestName RequestIn(const TableRow& row) {
  return {WholeOf(row, "trace"), WholeOf(row, "request")};
}

// A report, and the tables that were written with it.
struct Tables {
  explicit Tables(const std::vector<std::string>& traces,
                  double percentile = 80) {
    std::string pattern = testing::TempDir() + "/edgewise-rows-XXXXXX";
    directory = mkdtemp(pattern.data());
    ReportOptions options;
    options.percentile = percentile;
    options.tables = directory;
    options.stacks = true;
    options.recording = &recording;
    report = ReportOf(traces, options);
  }
  ~Tables() { std::filesystem::remove_all(directory); }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  const std::vector<TableRow>& Rows(const std::string& table) const {
    const auto [found, added] = read_.try_emplace(table);
    if (added) {
      found->second =
          ParquetFile::Read(directory + "/" + table + ".parquet").rows;
    }
    return found->second;
  }
  int64_t Sum(const std::string& table, const std::string& column) const {
    int64_t sum = 0;
    for (const TableRow& row : Rows(table)) sum += WholeOf(row, column);
    return sum;
  }

  std::string directory;
  std::string recording;
  Json report;

 private:
  mutable std::map<std::string, std::vector<TableRow>> read_;
};

// Means of one group, as the report has them.
void ExpectGroup(const std::vector<TableRow>& rows, const Json& group) {
  std::map<std::string, double> sums;
  for (const TableRow& row : rows) {
    for (const auto& [name, cell] : row) sums[name] += WholeOf(row, name);
  }
  ASSERT_EQ(rows.size(), group["count"].get<size_t>());
  if (rows.empty()) return;
  const auto expect = [&](const std::string& column, const Json& mean) {
    if (mean.is_null()) {
      EXPECT_TRUE(IsMissing(rows[0], column)) << column;
    } else {
      EXPECT_EQ(std::llround(sums[column] / static_cast<double>(rows.size())),
                mean.get<int64_t>())
          << column;
    }
  };
  expect("latency_ns", group["mean_latency_ns"]);
  for (const char* part : {"io_ns", "queue_ns", "exec_ns"}) {
    expect(part, group[part]);
  }
  for (const char* part : {"gc_ns", "jit_ns", "ic_ns"}) {
    expect(std::string("exec_") + part, group["exec"][part]);
    expect(std::string("queue_") + part, group["queue"][part]);
  }
  for (const char* part :
       {"idle_ns", "own_ns", "other_requests_ns", "unowned_ns"}) {
    expect(std::string("queue_") + part, group["queue"][part]);
  }
}

void ExpectRequests(const Tables& tables, std::set<RequestName>* tail) {
  std::vector<TableRow> tail_rows;
  std::vector<TableRow> rest_rows;
  int64_t aborted = 0;
  for (const TableRow& row : tables.Rows("requests")) {
    if (WholeOf(row, "counted") == 0) continue;
    if (NameIn(row, "outcome") == "aborted") {
      ++aborted;
      EXPECT_TRUE(IsMissing(row, "latency_ns"));
      continue;
    }
    EXPECT_EQ(WholeOf(row, "latency_ns"), WholeOf(row, "io_ns") +
                                              WholeOf(row, "queue_ns") +
                                              WholeOf(row, "exec_ns"));
    const bool is_tail = WholeOf(row, "tail") != 0;
    if (is_tail) tail->insert(RequestIn(row));
    (is_tail ? tail_rows : rest_rows).push_back(row);
  }
  EXPECT_EQ(aborted, tables.report["requests"]["aborted"].get<int64_t>());
  ExpectGroup(tail_rows, tables.report["tail"]);
  ExpectGroup(rest_rows, tables.report["rest"]);
}

void ExpectSteps(const Tables& tables) {
  for (const char* part : {"io_ns", "queue_ns", "exec_ns"}) {
    EXPECT_EQ(tables.Sum("steps", part), tables.Sum("requests", part)) << part;
  }
  EXPECT_EQ(tables.Sum("steps", "gc_ns"), tables.Sum("requests", "exec_gc_ns"));
  EXPECT_EQ(tables.Sum("steps", "dur_ns"),
            tables.Sum("requests", "latency_ns"));
  EXPECT_EQ(tables.Sum("calls", "dur_ns"), tables.Sum("requests", "io_ns"));
  EXPECT_EQ(tables.Sum("blockers", "ns"), tables.Sum("requests", "queue_ns"));
  EXPECT_EQ(tables.Sum("loop", "waiting_ns"),
            tables.Sum("requests", "queue_ns"));
}

void ExpectBlockers(const Tables& tables, const std::set<RequestName>& tail) {
  std::map<std::string, int64_t> sums;
  for (const TableRow& row : tables.Rows("blockers")) {
    if (tail.contains(RequestIn(row))) {
      sums[NameIn(row, "what")] += WholeOf(row, "ns");
    }
  }
  for (const Json& blocker : tables.report["blockers"]) {
    const auto what = blocker["what"].get<std::string>();
    // JIT and inline caches are shared out with fractions.
    EXPECT_NEAR(static_cast<double>(sums[what]),
                blocker["queue_ns"].get<double>(),
                1 + static_cast<double>(tail.size()))
        << what;
    sums.erase(what);
  }
  for (const auto& [what, ns] : sums) EXPECT_EQ(ns, 0) << what;
}

void ExpectCalls(const Tables& tables, const std::set<RequestName>& tail) {
  std::map<std::string, std::pair<int64_t, int64_t>> sums;
  for (const TableRow& row : tables.Rows("calls")) {
    if (!tail.contains(RequestIn(row))) continue;
    auto& [io_ns, asked] = sums[NameIn(row, "dependency")];
    io_ns += WholeOf(row, "dur_ns");
    asked += WholeOf(row, "asked");
  }
  std::map<std::string, std::pair<int64_t, int64_t>> told;
  for (const Json& one : tables.report["dependencies"]) {
    auto& [io_ns, asked] = told[one["what"].get<std::string>()];
    io_ns += one["io_ns"].get<int64_t>();
    if (!one["calls"].is_null()) asked += one["calls"].get<int64_t>();
  }
  EXPECT_EQ(sums, told);
}

void ExpectLoop(const Tables& tables) {
  const Json& report = tables.report;
  EXPECT_EQ(tables.Sum("events", "first"),
            report["events"]["count"].get<int64_t>());
  EXPECT_EQ(tables.Sum("loop", "events"),
            report["events"]["count"].get<int64_t>());
  EXPECT_EQ(tables.Sum("loop", "busy_ns"),
            report["loop"]["busy_ns"].get<int64_t>());
  EXPECT_EQ(static_cast<int64_t>(tables.Rows("gcs").size()),
            report["gc"]["count"].get<int64_t>());
  EXPECT_EQ(tables.Sum("gcs", "dur_ns"),
            report["gc"]["total_ns"].get<int64_t>());
  EXPECT_EQ(tables.Sum("loop", "gc_ns"),
            report["gc"]["total_ns"].get<int64_t>());
  if (!report["loop"]["not_running_ns"].is_null()) {
    EXPECT_EQ(tables.Sum("loop", "not_running_ns"),
              report["loop"]["not_running_ns"].get<int64_t>());
    EXPECT_EQ(tables.Sum("events", "not_running_ns"),
              report["loop"]["not_running_ns"].get<int64_t>());
  }
  EXPECT_EQ(tables.Sum("stacks", "first"),
            report["stacks"].is_null()
                ? 0
                : report["stacks"]["samples"].get<int64_t>());
  for (const char* count : {"lost", "unfinished", "aborted"}) {
    EXPECT_EQ(tables.Sum("meta", count),
              report["requests"][count].get<int64_t>());
  }
  EXPECT_EQ(tables.Sum("meta", "requests"),
            report["requests"]["count"].get<int64_t>());
}

void ExpectAll(const Tables& tables) {
  std::set<RequestName> tail;
  ExpectRequests(tables, &tail);
  ExpectSteps(tables);
  ExpectBlockers(tables, tail);
  ExpectCalls(tables, tail);
  ExpectLoop(tables);
}

TEST(RowsTest, SumsAreThoseOfTheReport) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomTraceOptions options;
    options.seed = seed;
    options.patched = seed % 3 == 2;
    ExpectAll(Tables({RandomTraceGenerator(options).Run()}));
  }
}

TEST(RowsTest, SumsOfFaultyTracesAreThoseOfTheReport) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomTraceOptions options;
    options.seed = seed;
    options.faults = true;
    Tables tables({RandomTraceGenerator(options).Run()});
    std::set<RequestName> tail;
    ExpectRequests(tables, &tail);
    ExpectSteps(tables);
    ExpectLoop(tables);
  }
}

// More than the marks of the causes' clock are apart.
TEST(RowsTest, LongWaitsAreDividedAsTheReportDoes) {
  RandomTraceOptions options;
  options.seed = 7;
  options.events = 6000;
  ExpectAll(Tables({RandomTraceGenerator(options).Run()}, 99));
}

TEST(RowsTest, EachFileHasANumberOfItsOwn) {
  RandomTraceOptions options;
  const std::string first = RandomTraceGenerator(options).Run();
  options.process = 2;
  const std::string second = RandomTraceGenerator(options).Run();
  Tables tables({first, second, first});
  ExpectAll(tables);
  std::set<int64_t> traces;
  for (const TableRow& row : tables.Rows("meta")) {
    traces.insert(WholeOf(row, "trace"));
  }
  EXPECT_EQ(traces.size(), 3U);
  // And it is the same the next time.
  const Tables next({first, second, first});
  std::set<int64_t> again;
  for (const TableRow& row : next.Rows("meta")) {
    again.insert(WholeOf(row, "trace"));
  }
  EXPECT_EQ(again, traces);
}

TEST(RowsTest, ARequestAndWhatItWaitedBehind) {
  TraceBuilder trace;
  trace.Meta();
  trace.Start(10, 1).End(60, 1, "GET /runs");
  trace.Event(10, 60, {.ready = 5});
  trace.Start(60, 2).End(90, 2, "GET /waits");
  trace.Event(60, 90, {.ready = 20});
  trace.Finish(130);
  Tables tables({trace.Bytes()});
  ExpectAll(tables);
  for (const TableRow& row : tables.Rows("blockers")) {
    if (WholeOf(row, "request") != 2) continue;
    EXPECT_EQ(NameIn(row, "what"), "GET /runs tcp_read");
    EXPECT_EQ(WholeOf(row, "ns"), 40);
  }
  EXPECT_EQ(tables.Rows("events").size(), 2U);
  const Json recording = Json::parse(tables.recording);
  EXPECT_EQ(recording["command"], "node app.js");
  EXPECT_EQ(recording["host"], "");
}

}  // namespace
}  // namespace edgewise
