#include "trace/writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "trace/crc32c.h"
#include "trace/reader.h"

namespace edgewise {
namespace {

class WriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/edgewise-writer-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    path_ = directory_ + "/1-0.ewt";
  }
  void TearDown() override {
    unlink(path_.c_str());
    rmdir(directory_.c_str());
  }
  std::vector<ChunkKind> KindsInFile() {
    auto source = FileSource::Open(path_);
    EXPECT_TRUE(source.ok());
    ProblemLog problems;
    ChunkReader reader(source->get(), path_, &problems);
    std::vector<ChunkKind> kinds;
    Chunk chunk;
    while (reader.Next(&chunk)) kinds.push_back(chunk.header.kind);
    EXPECT_TRUE(problems.kept().empty());
    return kinds;
  }
  static ChunkHeader Header(ChunkKind kind, uint64_t index) {
    ChunkHeader header{};
    header.kind = kind;
    header.index = index;
    header.ticks = index + 1;
    header.monotonic_ns = static_cast<int64_t>(index + 1);
    return header;
  }

  std::string directory_;
  std::string path_;
};

TEST_F(WriterTest, WritesChunksThatTheReaderAccepts) {
  auto writer = ChunkWriter::Open(path_, 1 << 20);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::string meta = "{}";
  ASSERT_TRUE(writer->Append(Header(ChunkKind::kMeta, 0), meta.data(), 2).ok());
  const std::vector<Record> records(10);
  ASSERT_TRUE(writer
                  ->Append(Header(ChunkKind::kRecords, 1), records.data(),
                           10 * kRecordBytes)
                  .ok());
  ASSERT_TRUE(writer->Append(Header(ChunkKind::kEnd, 2), nullptr, 0).ok());
  EXPECT_EQ(KindsInFile(), (std::vector{ChunkKind::kMeta, ChunkKind::kRecords,
                                        ChunkKind::kEnd}));
  EXPECT_EQ(writer->written_bytes(), 3 * sizeof(ChunkHeader) + 2 + 320);
}

TEST_F(WriterTest, OnlyTheOwnerCanReadTheFile) {
  ASSERT_TRUE(ChunkWriter::Open(path_, 1 << 20).ok());
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(WriterTest, CountsWhatTheQuotaLeavesOutAndStillEndsTheTrace) {
  auto writer = ChunkWriter::Open(path_, 1000);
  ASSERT_TRUE(writer.ok());
  const std::vector<Record> records(40);
  const absl::Status status = writer->Append(Header(ChunkKind::kRecords, 0),
                                             records.data(), 40 * kRecordBytes);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(writer->lost_bytes(), 40 * kRecordBytes);
  EXPECT_TRUE(writer->Append(Header(ChunkKind::kEnd, 1), nullptr, 0).ok());
  EXPECT_EQ(KindsInFile(), std::vector{ChunkKind::kEnd});
}

TEST_F(WriterTest, LeavesNoTornChunkWhenTheDiskIsFull) {
  auto writer = ChunkWriter::Open(path_, 1 << 20);
  ASSERT_TRUE(writer.ok());
  const std::vector<Record> records(100);
  ASSERT_TRUE(writer
                  ->Append(Header(ChunkKind::kRecords, 0), records.data(),
                           100 * kRecordBytes)
                  .ok());
  // A file size limit fails like a full disk: part of the chunk fits.
  signal(SIGXFSZ, SIG_IGN);
  rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  rlimit small = old;
  small.rlim_cur = writer->written_bytes() + 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = writer->Append(
      Header(ChunkKind::kRecords, 1), records.data(), 100 * kRecordBytes);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(writer->lost_bytes(), 100 * kRecordBytes);
  // There is room again: the trace goes on behind its last whole chunk.
  EXPECT_TRUE(writer->Append(Header(ChunkKind::kEnd, 1), nullptr, 0).ok());
  EXPECT_EQ(KindsInFile(), (std::vector{ChunkKind::kRecords, ChunkKind::kEnd}));
}

TEST_F(WriterTest, NamesTheFileThatCannotBeCreated) {
  const auto writer = ChunkWriter::Open(directory_ + "/no/such.ewt", 1);
  ASSERT_FALSE(writer.ok());
  EXPECT_NE(writer.status().message().find("no/such.ewt"), std::string::npos);
}

TEST_F(WriterTest, RefusesAndCountsWhatTheReaderWouldNotTake) {
  auto writer = ChunkWriter::Open(path_, 1 << 30);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::vector<char> payload(kMaxChunkPayload + 32);
  const absl::Status status =
      writer->Append(Header(ChunkKind::kRecords, 0), payload.data(),
                     static_cast<uint32_t>(payload.size()));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(writer->lost_bytes(), payload.size());
  EXPECT_EQ(writer->written_bytes(), 0u);
  EXPECT_TRUE(writer->Append(Header(ChunkKind::kEnd, 1), nullptr, 0).ok());
  EXPECT_EQ(KindsInFile(), std::vector<ChunkKind>{ChunkKind::kEnd});
}

TEST_F(WriterTest, DoesNotFollowALink) {
  ASSERT_EQ(symlink("/tmp/edgewise-elsewhere", path_.c_str()), 0);
  EXPECT_FALSE(ChunkWriter::Open(path_, 1).ok());
}

}  // namespace
}  // namespace edgewise
