#include "live/followed_trace.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "recorder/recorder.h"
#include "test/native/recorder/trace_directory.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace edgewise {
namespace {

auto Event(uint64_t number) {
  return [number](Record& record) {
    record.kind = RecordKind::kEvent;
    SetIds(record, 1, number);
  };
}

// What a reader gets of a trace, on a thread of its own, until that ends.
class Reading {
 public:
  explicit Reading(const std::string& file) {
    auto opened = FollowedTrace::Open(file);
    EXPECT_TRUE(opened.ok()) << opened.status();
    trace_ = *std::move(opened);
    thread_ = std::thread([this] { Run(); });
  }
  ~Reading() { Close(); }

  void Join() {
    if (thread_.joinable()) thread_.join();
  }
  void Close() {
    trace_->Close();
    Join();
  }

  // Once it has ended.
  const std::vector<uint64_t>& events() const { return events_; }
  size_t gaps() const { return gaps_; }
  const std::vector<ChunkKind>& kinds() const { return kinds_; }

 private:
  void Run() {
    ChunkReader reader(trace_.get(), "", nullptr);
    Chunk chunk;
    while (reader.Next(&chunk)) {
      gaps_ += chunk.gap_before ? 1 : 0;
      kinds_.push_back(chunk.header.kind);
      for (const Record& record : chunk.records) {
        if (record.kind == RecordKind::kEvent) {
          events_.push_back(IdCounter(record));
        }
      }
    }
  }

  std::unique_ptr<FollowedTrace> trace_;
  std::vector<uint64_t> events_;
  std::vector<ChunkKind> kinds_;
  size_t gaps_ = 0;
  std::thread thread_;
};

std::vector<uint64_t> UpTo(uint64_t last) {
  std::vector<uint64_t> numbers;
  for (uint64_t n = 1; n <= last; ++n) numbers.push_back(n);
  return numbers;
}

class FollowedTraceTest : public testing::Test {
 protected:
  std::unique_ptr<Recorder> Start(RecordingMode mode,
                                  uint64_t max_bytes = uint64_t{1} << 30) {
    RecorderConfig config;
    config.path = directory_.file();
    config.meta_json = "{}";
    config.mode = mode;
    config.max_bytes = max_bytes;
    config.flush_ms = 5;
    auto recorder = Recorder::Start(config);
    EXPECT_TRUE(recorder.ok()) << recorder.status();
    return *std::move(recorder);
  }

  static void Push(Recorder* recorder, uint64_t from, uint64_t to) {
    for (uint64_t n = from; n <= to; ++n) {
      recorder->PushEvent(n + 1, Event(n));
      if (n % 100 == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
      }
    }
  }

  TraceDirectory directory_;
};

TEST_F(FollowedTraceTest, GivesAllThatIsWrittenUntilTheRecorderEnds) {
  auto recorder = Start(RecordingMode::kStream);
  Reading reading(directory_.file());
  Push(recorder.get(), 1, 2000);
  recorder->Stop();
  reading.Join();
  EXPECT_EQ(reading.events(), UpTo(2000));
  EXPECT_EQ(reading.gaps(), 0u);
  EXPECT_EQ(reading.kinds().back(), ChunkKind::kEnd);
}

// What is held fits into two files only for moments.
TEST_F(FollowedTraceTest, GivesAllThatIsHeldAndForgotten) {
  auto recorder = Start(RecordingMode::kFlight, 30'000);
  Reading reading(directory_.file());
  for (uint64_t n = 0; n < 20; ++n) {
    Push(recorder.get(), n * 100 + 1, (n + 1) * 100);
    // Longer than FollowedTrace waits between two looks.
    std::this_thread::sleep_for(
        std::chrono::milliseconds(2 * FollowedTrace::kPollMs));
  }
  recorder->Stop();
  reading.Join();
  EXPECT_LT(directory_.Read().records.size(), 2000u) << "the older are gone";
  EXPECT_EQ(reading.events(), UpTo(2000));
  EXPECT_EQ(reading.gaps(), 0u);
}

TEST_F(FollowedTraceTest, GivesWhatIsDumpedOnce) {
  auto recorder = Start(RecordingMode::kFlight);
  Reading reading(directory_.file());
  for (uint64_t n = 0; n < 5; ++n) {
    Push(recorder.get(), n * 100 + 1, (n + 1) * 100);
    ASSERT_TRUE(recorder->Dump().ok());
  }
  recorder->Stop();
  reading.Join();
  EXPECT_EQ(reading.events(), UpTo(500));
  EXPECT_EQ(reading.gaps(), 0u);
}

TEST_F(FollowedTraceTest, EndsWhenItIsClosed) {
  auto recorder = Start(RecordingMode::kStream);
  Reading reading(directory_.file());
  Push(recorder.get(), 1, 100);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  reading.Close();
  EXPECT_EQ(reading.events(), UpTo(100));
}

// Where a chunk is lost a preliminary one says so, until the next is written.
TEST_F(FollowedTraceTest, GoesOnAfterWhatTheQuotaRefused) {
  auto opened = ChunkWriter::Open(directory_.file(), 1000);
  ASSERT_TRUE(opened.ok());
  ChunkWriter writer = *std::move(opened);
  const auto append = [&](ChunkKind kind, uint64_t index, uint32_t records) {
    ChunkHeader header{};
    header.kind = kind;
    header.index = index;
    const std::vector<Record> payload(records);
    return writer.Append(header, payload.data(),
                         records * static_cast<uint32_t>(kRecordBytes));
  };
  ASSERT_TRUE(append(ChunkKind::kRecords, 0, 1).ok());
  Reading reading(directory_.file());
  for (uint64_t index = 1; index <= 3; ++index) {
    EXPECT_FALSE(append(ChunkKind::kRecords, index, 100).ok());
    std::this_thread::sleep_for(
        std::chrono::milliseconds(2 * FollowedTrace::kPollMs));
  }
  ASSERT_TRUE(append(ChunkKind::kRecords, 4, 2).ok());
  ASSERT_TRUE(append(ChunkKind::kEnd, 5, 0).ok());
  reading.Join();
  EXPECT_EQ(reading.kinds().back(), ChunkKind::kEnd);
  EXPECT_EQ(reading.kinds().size(), 6u);
  EXPECT_EQ(reading.gaps(), 0u) << "each lost chunk is told of";
}

TEST_F(FollowedTraceTest, NamesAFileThatIsNotThere) {
  const auto trace = FollowedTrace::Open(directory_.file());
  EXPECT_TRUE(absl::IsNotFound(trace.status())) << trace.status();
}

}  // namespace
}  // namespace edgewise
