#include "trace/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "test/native/analysis/trace_builder.h"
#include "trace/crc32c.h"

namespace edgewise {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Four chunks: meta, two of records, end.
TraceBuilder Small() {
  TraceBuilder t;
  t.Meta();
  t.Event(10, 20, {});
  t.Event(30, 40, {});
  t.Cut(50);
  t.Event(60, 70, {});
  t.Cut(80);
  t.Finish(90);
  return t;
}

struct ReadResult {
  std::vector<uint64_t> indices;
  std::vector<bool> gaps;
  size_t records = 0;
  ProblemLog problems;
  bool too_new = false;
};

ReadResult ReadAll(std::string_view bytes) {
  ReadResult result;
  MemorySource source(bytes);
  ChunkReader reader(&source, "1-0.ewt", &result.problems);
  Chunk chunk;
  while (reader.Next(&chunk)) {
    result.indices.push_back(chunk.header.index);
    result.gaps.push_back(chunk.gap_before);
    result.records += chunk.records.size();
  }
  result.too_new = reader.too_new();
  return result;
}

void Reseal(std::string* bytes, size_t offset, const ChunkHeader& changed) {
  ChunkHeader header = changed;
  header.header_crc = Crc32c(&header, offsetof(ChunkHeader, header_crc));
  std::memcpy(bytes->data() + offset, &header, sizeof(header));
}

ChunkHeader HeaderAt(const std::string& bytes, size_t offset) {
  ChunkHeader header;
  std::memcpy(&header, bytes.data() + offset, sizeof(header));
  return header;
}

TEST(ChunkReaderTest, ReadsAWholeFile) {
  const ReadResult result = ReadAll(Small().Bytes());
  EXPECT_EQ(result.indices, (std::vector<uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(result.gaps, (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(result.records, 3);
  EXPECT_THAT(result.problems.kept(), SizeIs(0));
}

TEST(ChunkReaderTest, EmptyFile) {
  const ReadResult result = ReadAll("");
  ASSERT_THAT(result.problems.kept(), SizeIs(1));
  EXPECT_EQ(result.problems.kept()[0].what, "the file is empty");
  EXPECT_EQ(result.problems.kept()[0].file, "1-0.ewt");
}

TEST(ChunkReaderTest, ForeignFile) {
  const std::string noise(100'000, 'x');
  const ReadResult result = ReadAll(noise);
  EXPECT_THAT(result.indices, SizeIs(0));
  ASSERT_THAT(result.problems.kept(), SizeIs(1));
  EXPECT_EQ(result.problems.kept()[0].what, "not an edgewise trace");
  EXPECT_EQ(result.problems.kept()[0].bytes, noise.size());
}

// Cut off at any byte: every whole chunk before the cut is read, and the rest
// of the bytes is accounted for.
TEST(ChunkReaderTest, CutOffAnywhere) {
  const std::string whole = Small().Bytes();
  std::vector<size_t> ends;
  for (size_t at = 0; at < whole.size();) {
    at += sizeof(ChunkHeader) + HeaderAt(whole, at).payload_bytes;
    ends.push_back(at);
  }
  ASSERT_THAT(ends, SizeIs(4));
  for (size_t size = 1; size < whole.size(); ++size) {
    const ReadResult result = ReadAll(std::string_view(whole).substr(0, size));
    const auto good = static_cast<size_t>(
        std::upper_bound(ends.begin(), ends.end(), size) - ends.begin());
    EXPECT_THAT(result.indices, SizeIs(good)) << size;
    const size_t read = good > 0 ? ends[good - 1] : 0;
    uint64_t lost = 0;
    for (const Problem& problem : result.problems.kept()) {
      lost += problem.bytes;
    }
    EXPECT_EQ(lost, size - read) << size;
  }
}

// One flipped bit anywhere costs one chunk, and is reported where it is.
TEST(ChunkReaderTest, OneDamagedByteAnywhere) {
  const std::string whole = Small().Bytes();
  size_t chunk_begin = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    while (at >= chunk_begin + sizeof(ChunkHeader) +
                     HeaderAt(whole, chunk_begin).payload_bytes) {
      chunk_begin +=
          sizeof(ChunkHeader) + HeaderAt(whole, chunk_begin).payload_bytes;
    }
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const ReadResult result = ReadAll(damaged);
    EXPECT_THAT(result.indices, SizeIs(3)) << at;
    ASSERT_THAT(result.problems.kept(), SizeIs(1)) << at;
    EXPECT_EQ(result.problems.kept()[0].offset, chunk_begin) << at;
  }
}

TEST(ChunkReaderTest, ForeignBytesBetweenChunks) {
  TraceBuilder first;
  first.Meta();
  const size_t end = first.size();
  std::string bytes = Small().Bytes();
  bytes.insert(end, "EWWC is also how these foreign bytes begin");
  const ReadResult result = ReadAll(bytes);
  EXPECT_EQ(result.indices, (std::vector<uint64_t>{0, 1, 2, 3}));
  ASSERT_THAT(result.problems.kept(), SizeIs(1));
  EXPECT_EQ(result.problems.kept()[0].offset, end);
  EXPECT_EQ(result.problems.kept()[0].bytes, 42);
}

TEST(ChunkReaderTest, MissingChunksAreAGap) {
  TraceBuilder t;
  t.Meta();
  t.Event(10, 20, {});
  t.Cut(50);
  t.Event(60, 70, {});
  t.Cut(80, /*skip=*/3);
  const ReadResult result = ReadAll(t.Bytes());
  EXPECT_EQ(result.indices, (std::vector<uint64_t>{0, 1, 5}));
  EXPECT_EQ(result.gaps, (std::vector<bool>{false, false, true}));
}

TEST(ChunkReaderTest, NewerVersionIsRefused) {
  std::string bytes = Small().Bytes();
  ChunkHeader header = HeaderAt(bytes, 0);
  header.version = kTraceVersion + 1;
  Reseal(&bytes, 0, header);
  const ReadResult result = ReadAll(bytes);
  EXPECT_TRUE(result.too_new);
  EXPECT_THAT(result.indices, SizeIs(0));
  ASSERT_THAT(result.problems.kept(), SizeIs(1));
  EXPECT_THAT(result.problems.kept()[0].what, HasSubstr("trace format 2"));
}

TEST(ChunkReaderTest, HugePayloadIsNotAllocated) {
  std::string bytes = Small().Bytes();
  ChunkHeader header = HeaderAt(bytes, 0);
  for (const uint32_t size :
       {kMaxChunkPayload, kMaxChunkPayload + 1, UINT32_MAX}) {
    header.payload_bytes = size;
    Reseal(&bytes, 0, header);
    const ReadResult result = ReadAll(bytes);
    EXPECT_EQ(result.indices, (std::vector<uint64_t>{1, 2, 3})) << size;
    EXPECT_THAT(result.problems.kept(), SizeIs(1)) << size;
  }
}

// Each header claims a payload that spans all that follow: were every claim
// checked, 20,000 headers would cost 20 GB of checksums.
TEST(ChunkReaderTest, NestedClaimsStayLinear) {
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.version = kTraceVersion;
  header.kind = ChunkKind::kRecords;
  header.payload_crc = 1;
  const size_t count = 20'000;
  std::string bytes(count * sizeof(header) + 1000, 'z');
  for (size_t i = 0; i < count; ++i) {
    header.index = i;
    header.payload_bytes =
        static_cast<uint32_t>(bytes.size() - (i + 1) * sizeof(header) - 500);
    Reseal(&bytes, i * sizeof(header), header);
  }
  const ReadResult result = ReadAll(bytes);
  EXPECT_THAT(result.indices, SizeIs(0));
  EXPECT_GT(result.problems.kept().size(), 1);
}

TEST(ChunkReaderTest, NoiseWithMagicNumbers) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string bytes(5000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    for (int i = 0; i < 40; ++i) {
      std::memcpy(&bytes[random() % (bytes.size() - 4)], &kChunkMagic, 4);
    }
    EXPECT_THAT(ReadAll(bytes).indices, SizeIs(0));
  }
}

TEST(FileSourceTest, ReadsUpToTheLimitAndNamesWhatFails) {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("edgewise-reader-test-" + std::to_string(getpid()));
  std::ofstream(path) << "0123456789";
  auto source = FileSource::Open(path, 8);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->size(), 8);
  char buffer[16] = {};
  EXPECT_EQ((*source)->ReadAt(6, buffer, 10), 2);
  EXPECT_EQ(std::string(buffer), "67");
  EXPECT_EQ((*source)->ReadAt(8, buffer, 10), 0);
  unlink(path.c_str());
  const auto missing = FileSource::Open(path);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr(path));
  const auto directory = FileSource::Open("/tmp");
  EXPECT_THAT(std::string(directory.status().message()),
              HasSubstr("not a regular file"));
}

TEST(Crc32cTest, KnownValuesAndBothVersionsAgree) {
  EXPECT_EQ(Crc32c("123456789", 9), 0xE3069283);  // RFC 3720
  const std::string zeros(32, '\0');
  EXPECT_EQ(Crc32c(zeros.data(), zeros.size()), 0x8A9136AA);
  std::string bytes;
  // Beyond the blocks of three kilobytes that are summed in three lanes.
  for (int i = 0; i < 10'000; ++i) {
    bytes.push_back(static_cast<char>(i * 7 + i / 256));
  }
  for (size_t size = 0; size <= bytes.size(); size += size < 300 ? 1 : 97) {
    const uint32_t whole = Crc32c(bytes.data(), size);
    EXPECT_EQ(whole, internal::Crc32cPortable(bytes.data(), size, 0));
    const size_t half = size / 2;
    EXPECT_EQ(whole, Crc32c(bytes.data() + half, size - half,
                            Crc32c(bytes.data(), half)));
  }
}

}  // namespace
}  // namespace edgewise
