#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>

#include "test/native/analysis/random_trace.h"
#include "test/native/analysis/report_kit.h"

// Reports of stored traces (test/golden). A trace that an older version wrote
// must go on giving the same report. Only EDGEWISE_UPDATE_GOLDEN=1 writes the
// reports anew; EDGEWISE_UPDATE_GOLDEN=traces also the traces that are built.

namespace edgewise {
namespace {

const std::filesystem::path& Directory() {
  static const std::filesystem::path dir =
      std::filesystem::path(__FILE__).parent_path() / "../../golden";
  return dir;
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string UpdateFlag() {
  const char* flag = std::getenv("EDGEWISE_UPDATE_GOLDEN");
  return flag != nullptr ? flag : "";
}

// A pooled connection, a blocked loop, collections: what the model is about.
std::string PooledTrace() {
  TraceBuilder t(321, 0, 2.5);
  t.Meta();
  uint64_t awaits[5];
  for (uint32_t id = 1; id <= 4; ++id) {
    t.Start(1000 * id + 50, id);
    t.Register(3);
    awaits[id] = t.Event(1000 * id, 1000 * id + 400,
                         {EventType::kTcpRead, 1000 * id - 100, 5 + id});
  }
  t.Cut(6000);
  t.Gc(GcType::kScavenge, 10'000, 14'000);
  t.Event(6500, 20'000, {EventType::kTimer, 6400, 90, ReadyKind::kDue});
  for (uint32_t id = 1; id <= 4; ++id) {
    const int64_t at = 20'000 + 500 * id;
    t.Slice(at, awaits[id]);
    t.End(at + 400, id, id % 2 == 0 ? "GET /even" : "GET /odd");
  }
  t.Event(20'100, 22'600, {EventType::kTcpRead, 7000, 3});
  t.Finish(30'000);
  return t.Bytes();
}

std::string FaultyTrace() {
  RandomTraceOptions options;
  options.seed = 11;
  options.faults = true;
  std::string bytes = RandomTrace(options);
  bytes[bytes.size() / 2] ^= 1;
  return bytes.substr(0, bytes.size() - 100);
}

std::string WellFormedTrace() {
  RandomTraceOptions options;
  options.seed = 8;
  options.events = 120;
  return RandomTrace(options);
}

const std::map<std::string, std::function<std::string()>>& Built() {
  static const std::map<std::string, std::function<std::string()>> built = {
      {"pooled", PooledTrace},
      {"faulty", FaultyTrace},
      {"well-formed", WellFormedTrace},
  };
  return built;
}

TEST(GoldenTest, StoredTracesGiveTheirReports) {
  if (UpdateFlag() == "traces") {
    for (const auto& [name, build] : Built()) {
      std::ofstream(Directory() / (name + ".ewt"), std::ios::binary) << build();
    }
  }
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Directory())) {
    if (entry.path().extension() != ".ewt") continue;
    ++traces;
    const std::string bytes = Read(entry.path());
    const TraceBytes file{entry.path().filename().string(), bytes};
    ReportOptions options;
    options.percentile = 90;
    const auto report = BuildReport(std::span(&file, 1), options);
    ASSERT_TRUE(report.ok()) << entry.path() << ": " << report.status();
    const std::string text = Json::parse(*report).dump(1) + "\n";
    const auto expected_path =
        std::filesystem::path(entry.path()).replace_extension(".json");
    if (!UpdateFlag().empty()) std::ofstream(expected_path) << text;
    EXPECT_EQ(text, Read(expected_path)) << entry.path();
  }
  EXPECT_GE(traces, 4);
}

// Found by the fuzzer: sums beyond 2^53 ns are rounded, and what was left of
// one was less than nothing.
TEST(GoldenTest, AWaitOfYearsLeavesNoNegativeRest) {
  const std::string bytes = Read(Directory() / "rounded-rest.ewt");
  const TraceBytes file{"1-0.ewt", bytes};
  ReportOptions options;
  options.percentile = 50;
  const auto report = BuildReport(std::span(&file, 1), options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(Json::parse(*report)["tail"]["queue"]["native_ns"], 0);
}

}  // namespace
}  // namespace edgewise
