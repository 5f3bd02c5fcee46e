// What other tools are given of random traces, also of faulty ones.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "handover/kernel_layer.h"
#include "handover/perfetto_trace.h"
#include "handover/proto_writer.h"
#include "handover/span_log.h"
#include "test/native/analysis/random_trace.h"
#include "test/native/analysis/report_kit.h"

namespace edgewise {
namespace {

constexpr uint32_t kTraces = 80;

std::string TraceOf(uint32_t seed) {
  return RandomTraceGenerator(
             {.seed = seed, .faults = seed % 2 == 0, .patched = seed % 3 == 0})
      .Run();
}

class HandoverTest : public testing::Test {
 protected:
  HandoverTest() {
    std::string pattern = testing::TempDir() + "/edgewise-handover-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    file_ = directory_ + "/out";
  }
  ~HandoverTest() override { std::filesystem::remove_all(directory_); }

  std::string Written() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string directory_;
  std::string file_;
};

TEST_F(HandoverTest, StepsOfEachRequestSumToIt) {
  uint64_t lines = 0;
  for (uint32_t seed = 1; seed <= kTraces; ++seed) {
    auto log = SpanLog::Create({.path = file_, .sample = 1});
    ASSERT_TRUE(log.ok());
    ReportOptions options;
    options.watcher = log->get();
    const Json report = ReportOf({TraceOf(seed)}, options);
    EXPECT_EQ((*log)->written(), report["requests"]["count"]) << seed;
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line); ++lines) {
      const Json told = Json::parse(line);
      std::map<std::string, int64_t> sums;
      for (const Json& step : told["steps"]) {
        for (const char* part : {"io_ns", "queue_ns", "exec_ns"}) {
          sums[part] += step[part].get<int64_t>();
        }
      }
      for (const auto& [part, ns] : sums) EXPECT_EQ(ns, told[part]) << seed;
      int64_t behind_ns = 0;
      for (const Json& blocker : told["blockers"]) {
        behind_ns += blocker[1].get<int64_t>();
        EXPECT_NE(blocker[0], told["request"]);
      }
      EXPECT_LE(behind_ns, told["queue_ns"].get<int64_t>()) << seed;
    }
  }
  EXPECT_GT(lines, 500u);
}

TEST_F(HandoverTest, TheTailAndNoMoreThanTheMost) {
  const auto written = [&](const SpanLog::Plan& plan) {
    auto log = SpanLog::Create(plan);
    ReportOptions options;
    options.percentile = 80;
    options.watcher = log->get();
    const Json report = ReportOf({TraceOf(1)}, options);
    return std::array<uint64_t, 3>{(*log)->written(), (*log)->left_out(),
                                   report["tail"]["count"].get<uint64_t>()};
  };
  const auto [tail, none, expected] = written({.path = file_});
  EXPECT_EQ(tail, expected);
  EXPECT_EQ(none, 0u);
  const auto [one, others, all] = written({.path = file_, .most = 1});
  EXPECT_EQ(one, 1u);
  EXPECT_EQ(others, all - 1);
}

TEST_F(HandoverTest, WhereNothingCanBeWrittenTheFileIsNamed) {
  EXPECT_FALSE(SpanLog::Create({.path = directory_ + "/no/file"}).ok());
  const auto trace = PerfettoTrace::Create(directory_ + "/no/file", "");
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.status().message().find("/no/file"), std::string::npos);
}

// Just enough of Protocol Buffers.
class Fields {
 public:
  explicit Fields(std::string_view bytes) {
    size_t at = 0;
    const auto varint = [&] {
      uint64_t value = 0;
      for (int shift = 0; at < bytes.size(); shift += 7) {
        const auto byte = static_cast<uint8_t>(bytes[at++]);
        value |= uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) break;
      }
      return value;
    };
    while (at < bytes.size()) {
      const uint64_t tag = varint();
      const auto field = static_cast<uint32_t>(tag >> 3);
      if ((tag & 7) == 0) {
        whole[field].push_back(varint());
      } else if ((tag & 7) == 1) {
        at += 8;
      } else {
        const uint64_t size = varint();
        text[field].push_back(bytes.substr(at, size));
        at += size;
      }
    }
  }
  std::map<uint32_t, std::vector<uint64_t>> whole;
  std::map<uint32_t, std::vector<std::string_view>> text;
};

struct Edge {
  uint64_t track;
  uint64_t ns;
  bool begin;
};

std::vector<Edge> EdgesOf(const std::string& bytes) {
  std::vector<Edge> edges;
  const Fields trace(bytes);
  for (const std::string_view packet : trace.text.at(1)) {
    const Fields fields(packet);
    const auto event = fields.text.find(11);
    if (event == fields.text.end()) continue;
    const Fields told(event->second[0]);
    edges.push_back({told.whole.at(11)[0], fields.whole.at(8)[0],
                     told.whole.at(9)[0] == 1});
  }
  std::stable_sort(
      edges.begin(), edges.end(),
      [](const Edge& one, const Edge& other) { return one.ns < other.ns; });
  return edges;
}

TEST_F(HandoverTest, SlicesLieInEachOther) {
  for (uint32_t seed = 1; seed <= kTraces; ++seed) {
    auto trace = PerfettoTrace::Create(file_, directory_);
    ASSERT_TRUE(trace.ok());
    ReportOptions options;
    options.percentile = 50;
    options.watcher = trace->get();
    const Json report = ReportOf({TraceOf(seed)}, options);
    EXPECT_GE((*trace)->written(), report["requests"]["count"].get<uint64_t>());
    std::map<uint64_t, int64_t> open;
    const std::vector<Edge> edges = EdgesOf(Written());
    for (const Edge& edge : edges) {
      open[edge.track] += edge.begin ? 1 : -1;
      ASSERT_GE(open[edge.track], 0) << seed << ": it ends before it begins";
      ASSERT_LE(open[edge.track], 2) << seed << ": it has not ended";
    }
    EXPECT_FALSE(edges.empty());
    for (const auto& [track, count] : open) EXPECT_EQ(count, 0) << seed;
  }
}

TEST(KernelLineTest, ReadsEachKind) {
  const auto slept = ParseKernelLine("W 2 77 5000 1000 -1 431 a name of it");
  ASSERT_TRUE(slept.has_value());
  EXPECT_EQ(slept->kind, 'W');
  EXPECT_EQ(slept->thread, 2u);
  EXPECT_EQ(slept->event, 77u);
  EXPECT_EQ(slept->begin_ns, 4000);
  EXPECT_EQ(slept->end_ns, 5000);
  EXPECT_EQ(slept->numbers, (std::vector<int64_t>{-1, 431}));
  EXPECT_EQ(slept->rest, "a name of it");
  const auto event = ParseKernelLine("E 0 77 9000 6000 1 2 3 4 5 6 7 8");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->numbers, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(ParseKernelLine("B 0 77 9000 6000 266338304 4096")->numbers[1],
            4096);
}

TEST(KernelLineTest, TakesNothingElse) {
  for (const char* const line :
       {"", "E", "E ", "T", "X 0 1 2 1", "W 0 1 2", "S 0 1 5 9 3",
        "S 0 1 9 -2 3", "S 0 1 9 x 3", "S -1 1 9 2 3", "S 0 1 9 2 ",
        "E 0 1 9 2 1 2 3 4 5 6 7", "Attaching 12 probes..."}) {
    EXPECT_FALSE(ParseKernelLine(line).has_value()) << line;
  }
}

TEST_F(HandoverTest, WhatTheKernelDidLiesInItsEvents) {
  const auto recorded = TraceOf(1);
  const auto told = [&] {
    auto trace = PerfettoTrace::Create(file_, directory_);
    ReportOptions options;
    options.watcher = trace->get();
    ReportOf({recorded}, options);
    return Written();
  };
  const size_t before = EdgesOf(told()).size();
  // In a call, a sleep and then a wait for the processor; one that an instant
  // was missed of; one of another event; two requests at once to a device.
  std::ofstream(directory_ + "/kernel-1.txt")
      << "W 0 7 5000 2000 202 41 other\n"
      << "P 0 7 6000 1000 42 third\n"
      << "S 0 7 6500 4000 202\n"
      << "P 0 7 9900 500 42 \x01third\n"
      << "B 0 7 9000 3000 1048577 4096\n"
      << "B 0 7 9500 3100 1048577 4096\n"
      << "S 0 6 6500 400 1\n"
      << "S 9 7 6500 400 1\n"
      << "rubbish\n"
      << "E 0 7 9800 7800 1 4000 1500 2000 0 0 0 0\n";
  const std::string with = told();
  const std::vector<Edge> edges = EdgesOf(with);
  EXPECT_EQ(edges.size(), before + 14);
  std::map<uint64_t, int64_t> open;
  for (const Edge& edge : edges) {
    open[edge.track] += edge.begin ? 1 : -1;
    ASSERT_GE(open[edge.track], 0);
  }
  for (const auto& [track, count] : open) EXPECT_EQ(count, 0);
  for (const char* const name :
       {"kernel under the event loop", "devices under the event loop",
        "slept, woken by other", "preempted by third", "preempted by ?third",
        "system call 202", "device 1:1"}) {
    EXPECT_NE(with.find(name), std::string::npos) << name;
  }
}

TEST(ProtoWriterTest, Encodes) {
  ProtoWriter inner;
  inner.Whole(1, 300);
  ProtoWriter writer;
  writer.Text(2, "ab");
  writer.Message(3, inner);
  writer.Fixed(16, 1);
  EXPECT_EQ(writer.bytes(),
            std::string("\x12\x02"
                        "ab\x1a\x03\x08\xac\x02\x81\x01\x01\0\0\0\0\0\0\0",
                        19));
}

}  // namespace
}  // namespace edgewise
