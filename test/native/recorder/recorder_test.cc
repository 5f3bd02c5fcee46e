#include "recorder/recorder.h"

#include <gtest/gtest.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "platform/clock.h"
#include "test/native/platform/taken_cpu.h"
#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

// Fills an event's record.
auto Event(uint64_t counter) {
  return [counter](Record& record) {
    record.kind = RecordKind::kEvent;
    record.type = static_cast<uint8_t>(EventType::kTcpRead);
    record.ticks = Ticks();
    SetIds(record, 1, counter);
  };
}

class RecorderTest : public ::testing::Test {
 protected:
  std::unique_ptr<Recorder> Start(RecorderConfig config = {}) {
    config.path = directory_.file();
    config.meta_json = "{}";
    auto recorder = Recorder::Start(config);
    EXPECT_TRUE(recorder.ok()) << recorder.status();
    return *std::move(recorder);
  }
  static size_t Count(const TraceDirectory::Contents& contents,
                      RecordKind kind) {
    size_t count = 0;
    for (const Record& record : contents.records) count += record.kind == kind;
    return count;
  }
  TraceDirectory directory_;
};

TEST_F(RecorderTest, WritesEveryRecordOnceAndEndsTheTrace) {
  auto recorder = Start();
  for (uint64_t n = 1; n <= 5000; ++n) recorder->PushEvent(n + 1, Event(n));
  recorder->Stop();
  const auto contents = directory_.Read();
  ASSERT_EQ(contents.records.size(), 5000u);
  for (uint64_t n = 1; n <= 5000; ++n) {
    ASSERT_EQ(IdCounter(contents.records[n - 1]), n);
  }
  EXPECT_EQ(contents.headers.front().kind, ChunkKind::kMeta);
  EXPECT_EQ(contents.headers.back().kind, ChunkKind::kEnd);
  EXPECT_EQ(contents.headers.back().dropped, 0u);
  EXPECT_EQ(contents.headers.back().first_sequence, 5001u);
  EXPECT_EQ(contents.headers.back().first_counter, 5000u);
  EXPECT_EQ(contents.problems, 0u);
}

TEST_F(RecorderTest, FlushesWithinItsPeriodWithoutBeingStopped) {
  RecorderConfig config;
  config.flush_ms = 20;
  auto recorder = Start(config);
  recorder->PushEvent(2, Event(1));
  for (int i = 0; i < 200 && directory_.Read().records.empty(); ++i) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  EXPECT_EQ(directory_.Read().records.size(), 1u);
}

TEST_F(RecorderTest, ARequestedDumpWritesAlsoTheEventThatRanThen) {
  RecorderConfig config;
  config.mode = RecordingMode::kFlight;
  auto recorder = Start(config);
  recorder->PushInner(
      [](Record& record) { record.kind = RecordKind::kRequestEnd; });
  recorder->RequestDump();
  const timespec many_looks{0, 200'000'000};
  nanosleep(&many_looks, nullptr);
  recorder->PushEvent(2, Event(1));
  for (int i = 0; i < 200 && directory_.Read().records.empty(); ++i) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  EXPECT_EQ(directory_.Read().records.size(), 2u);
}

TEST_F(RecorderTest, CountsWhatAFullRingRefusesAndResumesTheNumbering) {
  RecorderConfig config;
  config.ring_records = 64;
  config.flush_ms = 10'000;  // looks every 20 ms; the pushes are faster
  auto recorder = Start(config);
  uint64_t pushed = 0;
  while (pushed < 4'000) {
    ++pushed;
    recorder->PushEvent(pushed + 1, Event(pushed));
  }
  const timespec pause{0, 100'000'000};
  nanosleep(&pause, nullptr);  // the drain makes room
  for (int i = 0; i < 3; ++i) {
    ++pushed;
    recorder->PushEvent(pushed + 1, Event(pushed));
  }
  recorder->Stop();
  const uint64_t dropped = recorder->stats().dropped;
  const auto contents = directory_.Read();
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(Count(contents, RecordKind::kEvent) + dropped, pushed);
  ASSERT_GE(Count(contents, RecordKind::kLoss), 1u);
  uint64_t in_loss_records = 0;
  uint64_t sequence = 1;
  for (const Record& record : contents.records) {
    if (record.kind == RecordKind::kLoss) {
      in_loss_records += record.aux;
      sequence = AsyncId(record);
    } else {
      // In this trace an event's counter is its sequence number.
      ASSERT_EQ(IdCounter(record), sequence);
      ++sequence;
    }
  }
  EXPECT_EQ(in_loss_records, dropped);
  EXPECT_EQ(contents.headers.back().dropped, dropped);
}

TEST_F(RecorderTest, KeepsAnEventAndWhatHappenedInItInOneChunk) {
  RecorderConfig config;
  config.flush_ms = 1000;
  auto recorder = Start(config);
  recorder->PushInner([](Record& gc) {
    gc.kind = RecordKind::kGc;
    gc.ticks = Ticks();
  });
  ASSERT_TRUE(recorder->Dump().ok());
  EXPECT_TRUE(directory_.Read().records.empty()) << "its event is still open";
  recorder->PushEvent(2, Event(1));
  recorder->Stop();
  EXPECT_EQ(directory_.Read().records.size(), 2u);
}

// The process may be killed in it.
TEST_F(RecorderTest, WhatHappenedInALongEventIsWrittenBeforeItEnds) {
  RecorderConfig config;
  config.flush_ms = 60;
  auto recorder = Start(config);
  recorder->PushInner([](Record& start) {
    start.kind = RecordKind::kRequestStart;
    start.ticks = Ticks();
  });
  for (int i = 0; i < 200 && directory_.Read().records.empty(); ++i) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  EXPECT_EQ(directory_.Read().records.size(), 1u);
  recorder->PushEvent(2, Event(1));
  recorder->Stop();
  EXPECT_EQ(directory_.Read().records.size(), 2u);
}

TEST_F(RecorderTest, WhatIsLostIsSaidBeforeTheEnd) {
  RecorderConfig config;
  config.max_bytes = 1000;
  config.flush_ms = 60'000;
  auto recorder = Start(config);
  // Whole chunks of a small quota.
  for (uint64_t n = 1; n <= 64; ++n) recorder->PushEvent(n + 1, Event(n));
  EXPECT_FALSE(recorder->Dump().ok());
  EXPECT_EQ(directory_.Read().headers.back().lost_bytes, 64 * kRecordBytes);
  for (uint64_t n = 65; n <= 192; ++n) recorder->PushEvent(n + 1, Event(n));
  EXPECT_FALSE(recorder->Dump().ok());
  const auto contents = directory_.Read();
  EXPECT_EQ(contents.headers.back().lost_bytes, 192 * kRecordBytes);
  EXPECT_EQ(contents.headers.size(), 2u) << "in one place";
}

// What a report finds beside the trace of a killed process.
TEST_F(RecorderTest, WhatIsHeldLiesInFilesUntilItIsDumped) {
  RecorderConfig config;
  config.mode = RecordingMode::kFlight;
  config.flush_ms = 30;
  auto recorder = Start(config);
  recorder->InternString("GET /");
  recorder->PushEvent(2, Event(1));
  const std::filesystem::path held =
      std::filesystem::path(directory_.file()).replace_extension(".held0");
  for (int i = 0; i < 200 && !std::filesystem::exists(held); ++i) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  const timespec pause{0, 10'000'000};
  nanosleep(&pause, nullptr);
  auto source = FileSource::Open(held);
  ASSERT_TRUE(source.ok());
  ChunkReader reader(source->get(), held, nullptr);
  Chunk chunk;
  ASSERT_TRUE(reader.Next(&chunk));
  EXPECT_EQ(chunk.records.size(), 3u) << "a string of two slots, and an event";
  recorder->Stop();
  EXPECT_FALSE(std::filesystem::exists(held));
}

// A ring of the largest size, full of what happened in one event: more than a
// reader takes of one chunk.
TEST_F(RecorderTest, CutsWhatNoChunkHolds) {
  constexpr size_t kInner = kMaxChunkPayload / kRecordBytes + 1000;
  RecorderConfig config;
  config.ring_records = size_t{1} << 22;
  config.flush_ms = 60'000;
  auto recorder = Start(config);
  for (size_t n = 0; n < kInner; ++n) {
    recorder->PushInner([](Record& gc) { gc.kind = RecordKind::kGc; });
  }
  recorder->InternString("GET /");
  recorder->PushEvent(2, Event(1));
  recorder->Stop();
  const auto contents = directory_.Read();
  EXPECT_EQ(contents.records.size(), kInner + 1);
  EXPECT_EQ(contents.strings.size(), 1u);
  EXPECT_EQ(contents.problems, 0u);
  EXPECT_EQ(recorder->stats().lost_bytes, 0u);
}

TEST_F(RecorderTest, WritesEachStringOnceBeforeItsUse) {
  auto recorder = Start();
  EXPECT_EQ(recorder->InternString("GET /a"), 1u);
  EXPECT_EQ(
      recorder->InternString("GET /a-name-longer-than-one-record-of-32-bytes"),
      2u);
  EXPECT_EQ(recorder->InternString("GET /a"), 1u);
  recorder->PushEvent(2, Event(1));
  recorder->Stop();
  EXPECT_EQ(directory_.Read().strings,
            (std::vector<std::string>{
                "GET /a", "GET /a-name-longer-than-one-record-of-32-bytes"}));
}

TEST_F(RecorderTest, FlightModeWritesNothingUntilItIsDumped) {
  RecorderConfig config;
  config.mode = RecordingMode::kFlight;
  config.flush_ms = 5;
  auto recorder = Start(config);
  recorder->InternString("GET /");
  recorder->PushEvent(2, Event(1));
  const timespec pause{0, 80'000'000};
  nanosleep(&pause, nullptr);
  EXPECT_TRUE(directory_.Read().records.empty());
  ASSERT_TRUE(recorder->Dump().ok());
  EXPECT_EQ(directory_.Read().records.size(), 1u);
  recorder->PushEvent(3, Event(2));
  recorder->Stop();
  const auto contents = directory_.Read();
  EXPECT_EQ(contents.records.size(), 2u) << "each record in one dump only";
  EXPECT_EQ(contents.strings.size(), 1u);
}

TEST_F(RecorderTest, FlightModeForgetsTheOldest) {
  RecorderConfig config;
  config.mode = RecordingMode::kFlight;
  config.max_bytes = 2000 * kRecordBytes;
  config.flush_ms = 5;
  auto recorder = Start(config);
  for (uint64_t n = 1; n <= 20'000; ++n) {
    recorder->PushEvent(n + 1, Event(n));
    if (n % 500 == 0) {
      const timespec pause{0, 25'000'000};
      nanosleep(&pause, nullptr);
    }
  }
  recorder->Stop();
  const auto contents = directory_.Read();
  ASSERT_FALSE(contents.records.empty());
  EXPECT_LT(contents.records.size(), 6000u);
  EXPECT_EQ(IdCounter(contents.records.back()), 20'000u);
  // The first chunk that is left says where its numbering stands.
  EXPECT_EQ(contents.headers[1].first_sequence,
            IdCounter(contents.records.front()));
}

TEST_F(RecorderTest, TheQuotaIsKeptAndTheRestCounted) {
  RecorderConfig config;
  config.max_bytes = 1000 * kRecordBytes;
  config.flush_ms = 5;
  auto recorder = Start(config);
  for (uint64_t n = 1; n <= 10'000; ++n) {
    recorder->PushEvent(n + 1, Event(n));
    if (n % 400 == 0) {
      const timespec pause{0, 25'000'000};
      nanosleep(&pause, nullptr);
    }
  }
  recorder->Stop();
  const auto contents = directory_.Read();
  EXPECT_EQ(recorder->stats().lost_bytes,
            (10'000 - contents.records.size()) * kRecordBytes);
  EXPECT_EQ(contents.headers.back().kind, ChunkKind::kEnd);
  EXPECT_EQ(contents.headers.back().lost_bytes, recorder->stats().lost_bytes);
}

TEST_F(RecorderTest, AFlushThatCannotBeWrittenIsReported) {
  RecorderConfig config;
  config.max_bytes = 1000;
  config.flush_ms = 60'000;
  auto recorder = Start(config);
  EXPECT_TRUE(recorder->Dump().ok());
  for (uint64_t n = 1; n <= 100; ++n) recorder->PushEvent(n + 1, Event(n));
  EXPECT_EQ(recorder->Dump().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(recorder->stats().lost_bytes, 100 * kRecordBytes);
  EXPECT_TRUE(recorder->Dump().ok()) << "nothing was left to write";
}

// They go into the next chunk that is taken, and stay in memory until then.
TEST_F(RecorderTest, StringsOfARefusedChunkAreNotLost) {
  RecorderConfig config;
  config.max_bytes = 1000;
  config.flush_ms = 60'000;
  auto recorder = Start(config);
  recorder->InternString("GET /users/:id");
  for (uint64_t n = 1; n <= 300; ++n) {
    recorder->PushEvent(n + 1, Event(n));
    if (n % 100 == 0) {
      EXPECT_FALSE(recorder->Dump().ok());
    }
  }
  EXPECT_EQ(recorder->stats().lost_bytes, 300 * kRecordBytes);
}

TEST_F(RecorderTest, StopIsIdempotentAndADumpAfterItIsRefused) {
  auto recorder = Start();
  recorder->Stop();
  recorder->Stop();
  EXPECT_EQ(recorder->Dump().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RecorderTest, AnUnwritableDirectoryIsAnError) {
  RecorderConfig config;
  config.path = "/proc/edgewise/1-0.ewt";
  EXPECT_FALSE(Recorder::Start(config).ok());
}

// Where a thread of this process is or was last, by proc(5); -1: there is none.
int CpuOfThread(const std::string& name) {
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const size_t name_end = stat.rfind(')');
    if (stat.find("(" + name + ")") == std::string::npos) continue;
    std::istringstream fields(stat.substr(name_end + 2));
    std::string field;
    for (int number = 3; number <= 39; ++number) fields >> field;
    return std::stoi(field);
  }
  return -1;
}

// Of two processors the recorded thread's is idle and the other one taken: the
// scheduler would have the drain thread on the first.
TEST_F(RecorderTest, TheDrainThreadKeepsOffTheRecordedOnesProcessor) {
  const std::vector<int> cpus = TwoCpus();
  if (cpus.size() < 2) GTEST_SKIP() << "there is one processor";
  const TakenCpu other(cpus[1]);
  std::thread([&] {
    UseCpus(cpus);
    auto recorder = Start();
    recorder->LoopRunsOn(cpus[0]);
    for (int look = 0; look < 20; ++look) {
      const timespec pause{0, 50'000'000};
      nanosleep(&pause, nullptr);
      EXPECT_EQ(CpuOfThread("edgewise-drain"), cpus[1]);
    }
  }).join();
}

}  // namespace
}  // namespace edgewise
