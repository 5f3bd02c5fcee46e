#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/report.h"
#include "test/native/analysis/trace_builder.h"

// Runs the whole analysis on built traces, and reads its report.

namespace edgewise {

using Json = nlohmann::ordered_json;

inline Json ReportOf(const std::vector<std::string>& files,
                     const ReportOptions& options = {}) {
  std::vector<TraceBytes> traces;
  for (size_t i = 0; i < files.size(); ++i) {
    traces.push_back({std::to_string(i) + "-0.ewt", files[i]});
  }
  const auto report = BuildReport(traces, options);
  EXPECT_TRUE(report.ok()) << report.status();
  if (!report.ok()) return Json::object();
  return Json::parse(*report);
}

inline Json ReportOf(TraceBuilder& trace, const ReportOptions& options = {}) {
  return ReportOf(std::vector<std::string>{trace.Bytes()}, options);
}

// The request of this id, told in full.
inline Json RequestOf(TraceBuilder& trace, int64_t id) {
  ReportOptions options;
  options.request = id;
  const Json report = ReportOf(trace, options);
  return report.contains("request") ? report["request"] : Json::object();
}

// What a path step is expected to say; times in nanoseconds.
struct StepTimes {
  std::string type;
  int64_t io;
  int64_t queue;
  int64_t exec;
  int64_t gc = 0;
  bool operator==(const StepTimes&) const = default;
};

inline void PrintTo(const StepTimes& step, std::ostream* out) {
  *out << step.type << " io " << step.io << " queue " << step.queue << " exec "
       << step.exec << " gc " << step.gc;
}

inline std::vector<StepTimes> PathOf(const Json& request) {
  std::vector<StepTimes> path;
  for (const Json& step : request["path"]) {
    path.push_back({step["type"], step["io_ns"], step["queue_ns"],
                    step["exec_ns"], step["gc_ns"]});
  }
  return path;
}

// Every number of a request and its path adds up.
inline void ExpectSums(const Json& request) {
  EXPECT_EQ(request["io_ns"].get<int64_t>() +
                request["queue_ns"].get<int64_t>() +
                request["exec_ns"].get<int64_t>(),
            request["latency_ns"].get<int64_t>());
  EXPECT_EQ(
      request["end_ns"].get<int64_t>() - request["start_ns"].get<int64_t>(),
      request["latency_ns"].get<int64_t>());
  int64_t io = 0;
  int64_t queue = 0;
  int64_t exec = 0;
  for (const Json& step : request["path"]) {
    io += step["io_ns"].get<int64_t>();
    queue += step["queue_ns"].get<int64_t>();
    exec += step["exec_ns"].get<int64_t>();
  }
  EXPECT_EQ(io, request["io_ns"].get<int64_t>());
  EXPECT_EQ(queue, request["queue_ns"].get<int64_t>());
  EXPECT_EQ(exec, request["exec_ns"].get<int64_t>());
}

}  // namespace edgewise
