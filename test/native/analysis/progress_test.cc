#include "analysis/stream/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/stream/watched_traces.h"
#include "test/native/analysis/report_kit.h"

// How far an analysis is, and its early end.

namespace edgewise {
namespace {

std::string SmallTrace() {
  TraceBuilder t;
  t.Meta();
  t.Start(100, 1).End(200, 1, "GET /");
  t.Event(100, 200, {EventType::kTcpRead, 100, 5});
  return t.Bytes();
}

TEST(ProgressTest, GrowsOverTheFilesOfEachPass) {
  const std::string bytes(100, 'x');
  const std::vector<TraceBytes> files = {{"1-0.ewt", bytes},
                                         {"2-0.ewt", bytes}};
  AnalysisProgress progress;
  const auto traces = TracesInMemory(files);
  WatchedTraces watched(traces.get(), &progress);
  char buffer[50];
  std::vector<double> shares;
  const auto pass = [&](double from, double to) {
    watched.BeginPass(from, to);
    shares.push_back(progress.Share());
    for (size_t i = 0; i < watched.size(); ++i) {
      const auto source = watched.Open(i);
      ASSERT_TRUE(source.ok());
      EXPECT_EQ((*source)->size(), 100U);
      for (const uint64_t offset : {0U, 50U}) {
        EXPECT_EQ((*source)->ReadAt(offset, buffer, sizeof buffer), 50U);
        shares.push_back(progress.Share());
      }
    }
  };
  pass(0, 0.5);
  pass(0.5, 1);
  EXPECT_EQ(shares, (std::vector{0.0, 0.125, 0.25, 0.375, 0.5, 0.5, 0.625, 0.75,
                                 0.875, 1.0}));
}

TEST(ProgressTest, AnAnalysisTellsIts) {
  AnalysisProgress progress;
  ReportOptions options;
  options.progress = &progress;
  EXPECT_EQ(
      ReportOf({SmallTrace(), SmallTrace()}, options)["requests"]["count"], 2);
  EXPECT_DOUBLE_EQ(progress.Share(), 1);
}

TEST(ProgressTest, CancelledAFileEndsAndTheAnalysisSaysSo) {
  AnalysisProgress progress;
  const std::string bytes = SmallTrace();
  const std::vector<TraceBytes> files = {{"1-0.ewt", bytes}};
  const auto traces = TracesInMemory(files);
  WatchedTraces watched(traces.get(), &progress);
  const auto source = watched.Open(0);
  ASSERT_TRUE(source.ok());
  progress.Cancel();
  char byte = 0;
  EXPECT_EQ((*source)->ReadAt(0, &byte, 1), 0U);

  ReportOptions options;
  options.progress = &progress;
  EXPECT_EQ(BuildReport(files, options).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace edgewise
