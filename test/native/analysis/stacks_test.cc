#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/sample_timeline.h"
#include "test/native/analysis/report_kit.h"
#include "test/native/analysis/stack_samples.h"

// What JavaScript ran in the waits and the execution of requests.

namespace edgewise {
namespace {

using ::testing::ElementsAre;

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kTimer = EventType::kTimer;
constexpr auto kDue = ReadyKind::kDue;

using Part = std::pair<uint32_t, StackWeights>;

std::vector<Part> RetireAll(SampleTimeline* samples) {
  std::vector<Part> parts;
  samples->Retire(INT64_MAX, [&](uint32_t stack, const StackWeights& weights) {
    parts.emplace_back(stack, weights);
  });
  return parts;
}

TEST(SampleTimelineTest, CountsASampleForEachRequestThatItIsPartOf) {
  SampleTimeline samples;
  for (const int64_t at : {10, 20, 30, 40}) {
    samples.Push(at, at, at, 5, static_cast<uint32_t>(at));
  }
  samples.Add(SampleRole::kTailWait, 10, 30);  // its end is no part
  samples.Add(SampleRole::kTailWait, 15, 31);
  samples.Add(SampleRole::kRestExec, 35, 1000);
  const std::vector<Part> parts = RetireAll(&samples);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_THAT(parts[0].second.ns, ElementsAre(5, 0, 0, 0, 0, 0));
  EXPECT_THAT(parts[1].second.ns, ElementsAre(10, 0, 0, 0, 0, 0));
  EXPECT_THAT(parts[2].second.ns, ElementsAre(5, 0, 0, 0, 0, 0));
  EXPECT_THAT(parts[3].second.ns, ElementsAre(0, 0, 0, 5, 0, 0));
}

// A stretch that ends after the last sample ends there, and not with the first
// of the next file.
TEST(SampleTimelineTest, StretchesDoNotReachIntoWhatComesNext) {
  SampleTimeline samples;
  samples.Push(10, 10, 10, 5, 1);
  samples.Add(SampleRole::kTailExec, 0, 100);
  EXPECT_EQ(RetireAll(&samples).size(), 1u);
  samples.Push(50, 50, 50, 5, 2);
  EXPECT_TRUE(RetireAll(&samples).empty());
}

TEST(SampleTimelineTest, AStretchGetsItsPartOfALongSample) {
  SampleTimeline samples;
  samples.Push(0, 7'000'000, 10'000'000, 8'000'000, 1);  // of ten, it ran eight
  samples.Add(SampleRole::kTailWait, 4'000'000, 100'000'000);
  samples.Add(SampleRole::kTailExec, 0, 2'000'000);
  StackWeights sum;
  for (const auto& [stack, weights] : RetireAll(&samples)) sum += weights;
  EXPECT_DOUBLE_EQ(sum.Of(SampleRole::kTailWait), 4'800'000);
  EXPECT_DOUBLE_EQ(sum.Of(SampleRole::kTailExec), 1'600'000);
}

TEST(SampleTimelineTest, KeepsWhatLeavesLater) {
  SampleTimeline samples;
  samples.Push(10, 10, 10, 5, 1);
  samples.Push(20, 20, 20, 5, 2);
  samples.Add(SampleRole::kTailWait, 0, 100);
  size_t left = 0;
  samples.Retire(20, [&](uint32_t, const StackWeights&) { ++left; });
  EXPECT_EQ(left, 1u);
  samples.Add(SampleRole::kTailWait, 15, 25);
  const std::vector<Part> parts = RetireAll(&samples);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].second.Of(SampleRole::kTailWait), 10);
}

// The innermost frames that the tail's time is in.
std::vector<std::string> FramesOf(const Json& report, const Json& cause) {
  const Json& tree = report["stacks"]["tree"];
  std::vector<std::string> frames;
  for (const Json& row : cause["stacks"]) {
    const size_t node = row[0];
    if (node == 0 || (row[1] == 0 && row[2] == 0)) continue;
    const auto text = [&](const char* column) {
      return tree["texts"][tree[column][node].get<size_t>()].get<std::string>();
    };
    frames.push_back(text("function") + " " + text("script") + ":" +
                     tree["line"][node].dump());
  }
  return frames;
}

// Ten requests of which the slowest waits behind a timer of nobody's.
TEST(StacksTest, NamesWhatTheTailWaitedBehindAndWhatItRan) {
  TraceBuilder t;
  t.Meta();
  const uint32_t main = AddFrame(0, "onTimer", 10, &t);
  const uint32_t busy = AddFrame(main, "busy", 20, &t);
  const uint32_t handle = AddFrame(0, "handle", 30, &t);
  for (uint32_t i = 1; i < 10; ++i) {
    const int64_t at = i * 100'000;
    t.Start(at, i).End(at + 10, i);
    t.Event(at, at + 20, {kRead, at, 5});
  }
  // The timer runs for 5 ms; it is sampled each ms. What ran at first is not
  // known.
  constexpr int64_t kMs = 1'000'000;
  AddSample(2 * kMs, 2 * kMs + 50, kMs, 0, &t);
  for (int64_t ms = 3; ms < 7; ++ms) {
    AddSample(ms * kMs, ms * kMs + 1000, kMs - 1000, busy, &t);
  }
  t.Event(kMs, 6 * kMs + 500'000, {kTimer, kMs, 0, kDue});
  AddSample(7 * kMs, 7 * kMs + 1000, kMs, handle, &t);
  t.Start(6 * kMs + 600'000, 10).End(8 * kMs, 10);
  t.Event(6 * kMs + 600'000, 8 * kMs, {kRead, 2 * kMs + 500'000, 5});
  ReportOptions options;
  options.stacks = true;
  const Json report = ReportOf(t, options);
  const Json& stacks = report["stacks"];
  EXPECT_EQ(stacks["samples"], 6);
  ASSERT_EQ(stacks["causes"].size(), 2u);
  const Json& timer = stacks["causes"][0];
  EXPECT_EQ(timer["what"], "(no request) timer");
  // Of the samples at 2, 3, 4, 5 and 6 ms it had come by the second; the last
  // stands for what was left.
  EXPECT_EQ(timer["tail_wait_ns"], 4 * kMs + 500'000 - 50);
  EXPECT_EQ(timer["tail_unknown_ns"], 0);
  EXPECT_THAT(FramesOf(report, timer), ElementsAre("busy /app/server.js:20"));
  const Json& own = stacks["causes"][1];
  EXPECT_EQ(own["kind"], "request");
  EXPECT_EQ(own["tail_exec_ns"], 1'400'000);
  EXPECT_THAT(FramesOf(report, own), ElementsAre("handle /app/server.js:30"));
}

// A request that waits behind another for 2 ms, and then runs.
TEST(StacksTest, TellsTheTimesOfTheRequestAskedFor) {
  constexpr int64_t kMs = 1'000'000;
  TraceBuilder t;
  t.Meta();
  const uint32_t handle = AddFrame(0, "handle", 30, &t);
  const auto sample = [&](int64_t ms) {
    AddSample(ms * kMs, ms * kMs + 1000, kMs - 1000, handle, &t);
  };
  for (const int64_t ms : {2, 3, 4}) sample(ms);
  t.Start(kMs, 1).End(4 * kMs + 500'000, 1);
  t.Event(kMs, 4 * kMs + 500'000, {kRead, kMs, 5});
  sample(5);
  t.Start(4 * kMs + 600'000, 2).End(6 * kMs, 2);
  t.Event(4 * kMs + 600'000, 6 * kMs, {kRead, 2 * kMs + 500'000, 6});
  ReportOptions options;
  options.stacks = true;
  const auto times_of = [&](int64_t request) {
    options.request = request;
    const Json cause = ReportOf(t, options)["stacks"]["causes"][0];
    EXPECT_EQ(cause["stacks"][0].size(), 7u);
    EXPECT_EQ(cause["stacks"][0][6], cause["request_exec_ns"]);
    return std::vector<int64_t>{cause["request_wait_ns"],
                                cause["request_exec_ns"]};
  };
  EXPECT_THAT(times_of(1), ElementsAre(0, 3'500'000));
  // It was ready between two samples.
  EXPECT_THAT(times_of(2), ElementsAre(2'499'000, 1'400'000));
  options.request = -1;
  const Json cause = ReportOf(t, options)["stacks"]["causes"][0];
  EXPECT_FALSE(cause.contains("request_wait_ns"));
  EXPECT_EQ(cause["stacks"][0].size(), 5u);
}

// Not what was sampled while the collector, or nothing, ran.
TEST(StacksTest, ACollectionIsNoFunctions) {
  TraceBuilder t;
  t.Meta();
  const uint32_t busy = AddFrame(0, "busy", 20, &t);
  t.Start(100, 1);
  t.Gc(GcType::kScavenge, 1000, 3000);
  AddSample(900, 950, 900, busy, &t);
  AddSample(2000, 3500, 1500, busy, &t);
  t.End(5000, 1);
  t.Event(100, 5000, {kRead, 100, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["stacks"]["causes"][0]["tail_exec_ns"], 4900 - 2000);
}

// What ran right before a collection is not the collection's.
TEST(StacksTest, ASampleAfterACollectionStandsForWhatWasBeforeIt) {
  TraceBuilder t;
  t.Meta();
  const uint32_t busy = AddFrame(0, "busy", 20, &t);
  t.Start(100, 1);
  t.Gc(GcType::kScavenge, 1000, 3000);
  AddSample(3400, 3500, 2000, busy, &t);
  t.End(5000, 1);
  t.Event(100, 5000, {kRead, 100, 5});
  const Json report = ReportOf(t);
  const Json& causes = report["stacks"]["causes"];
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0]["kind"], "request");
  EXPECT_EQ(causes[0]["tail_exec_ns"], 4900 - 2000);
}

TEST(StacksTest, WhatDidNotRunIsNoFunctions) {
  TraceBuilder t;
  t.Meta();
  const uint32_t busy = AddFrame(0, "busy", 20, &t);
  t.Start(1000, 1);
  const auto off = [&](int64_t begin, int64_t end) {
    Record record{};
    record.kind = RecordKind::kOffCpu;
    record.type = static_cast<uint8_t>(OffCpuKind::kPreempted);
    record.ticks = t.Ticks(begin);
    record.duration = static_cast<float>(t.Ticks(end) - t.Ticks(begin));
    t.Raw(record);
  };
  off(1200, 1500);
  off(2000, 2600);  // The sample is asked for in it: by whom it is preempted.
  AddSample(2500, 2700, 1600, busy, &t);
  t.End(5000, 1);
  t.Event(1000, 5000, {kRead, 1000, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["stacks"]["causes"][0]["tail_exec_ns"], 4000 - 300 - 600);
}

// Where it collects, or sleeps, is not where it was before.
TEST(StacksTest, ASampleOfACollectionStandsForNothingBeforeIt) {
  TraceBuilder t;
  t.Meta();
  const uint32_t parse = AddFrame(0, "parse", 20, &t);
  const uint32_t later = AddFrame(0, "later", 30, &t);
  t.Start(100, 1);
  AddSample(2100, 2200, 2200, parse, &t);
  t.Gc(GcType::kScavenge, 6000, 8000);
  AddSample(7000, 8100, 4800, later, &t);
  t.End(9100, 1);
  t.Event(100, 9100, {kRead, 100, 5});
  ReportOptions options;
  options.stacks = true;
  const Json report = ReportOf(t, options);
  std::vector<int64_t> told;
  for (const Json& row : report["stacks"]["causes"][0]["stacks"]) {
    told.push_back(row[2].get<int64_t>());
  }
  std::sort(told.begin(), told.end());
  // `later` from the collection's end to its answer.
  EXPECT_EQ(told, (std::vector<int64_t>{100, 9000 - 2000 - 100}));
}

TEST(StacksTest, AShortEventStandsForThoseThatWereNotSampled) {
  TraceBuilder t;
  t.Meta();
  const uint32_t quick = AddFrame(0, "quick", 20, &t);
  t.Start(100'000, 1);
  AddSample(100'400, 100'500, 10'000, quick, &t);
  t.End(101'000, 1);
  t.Event(100'000, 101'000, {kRead, 100'000, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["stacks"]["causes"][0]["tail_exec_ns"], 10'000);
}

TEST(StacksTest, WithoutSamplesThereIsNothing) {
  TraceBuilder t;
  t.Meta().Start(100, 1).End(150, 1);
  t.Event(100, 200, {kRead, 100, 5});
  EXPECT_EQ(ReportOf(t)["stacks"], nullptr);
}

// A stack whose strings are damaged is one that is not known.
TEST(StacksTest, NativeCodeIsALeafNamedByItsFile) {
  TraceBuilder t;
  t.Meta(R"({"native_code": "no signal is free"})");
  const uint32_t caller = AddFrame(0, "hash", 20, &t);
  Record record{};
  record.kind = RecordKind::kSample;
  record.ticks = t.Ticks(1500);
  record.aux = caller;
  SetIds(record, 0x1234, t.String("/nowhere/libcrypto.so\nabcd"));
  t.Start(1000, 1).Raw(record);
  t.End(2000, 1);
  t.Event(1000, 2000, {kRead, 1000, 5});
  ReportOptions options;
  options.stacks = true;
  const Json report = ReportOf(t, options);
  EXPECT_THAT(FramesOf(report, report["stacks"]["causes"][0]),
              ElementsAre(" native:/nowhere/libcrypto.so:0"));
  EXPECT_THAT(report["warnings"].dump(),
              testing::HasSubstr("native code was not looked at"));
}

TEST(StacksTest, DamagedStacksAreUnknown) {
  for (const std::string& text :
       {std::string("0 1"), std::string("7 1 2 3"), std::string("0 99 1 1"),
        std::string("x 1 1 1"), std::string("0 1 1 1 1"),
        std::string("99999999999 1 1 1")}) {
    TraceBuilder t;
    t.Meta();
    t.String("no newline");
    const uint32_t stack = t.String(text);
    t.Start(100, 1);
    AddSample(120, 125, 5, stack, &t).End(150, 1);
    t.Event(100, 200, {kRead, 100, 5});
    const Json report = ReportOf(t);
    EXPECT_EQ(report["stacks"]["causes"][0]["tail_unknown_ns"], 100) << text;
    EXPECT_FALSE(report["stacks"].contains("tree")) << text;
  }
}

}  // namespace
}  // namespace edgewise
