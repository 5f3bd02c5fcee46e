// What lies on disk for a page, part by part.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/page/loop/waiting_line.h"
#include "analysis/page/store/bytes.h"
#include "analysis/page/store/length_store.h"
#include "analysis/page/store/scratch_file.h"
#include "test/native/analysis/page/page_kit.h"

namespace edgewise {
namespace {

std::unique_ptr<ScratchFile> Scratch() {
  auto file = ScratchFile::Create(ScratchPlaces());
  EXPECT_TRUE(file.ok()) << file.status();
  return *std::move(file);
}

TEST(NumbersTest, AreTakenBackAsTheyWerePut) {
  const std::vector<int64_t> numbers = {
      0, 1, -1, 63, 64, -64, -65, 127, 128, 1'000'000, INT64_MAX, INT64_MIN};
  std::string bytes;
  for (const int64_t number : numbers) {
    PutSigned(number, &bytes);
    PutNumber(static_cast<uint64_t>(number), &bytes);
  }
  NumberReader reader(bytes);
  for (const int64_t number : numbers) {
    EXPECT_EQ(reader.NextSigned(), number);
    EXPECT_EQ(reader.Next(), static_cast<uint64_t>(number));
  }
  EXPECT_EQ(reader.Next(), 0);
}

TEST(ScratchFileTest, ItIsMadeWhereItCan) {
  const std::vector<std::string> one = {"/nowhere", testing::TempDir()};
  EXPECT_TRUE(ScratchFile::Create(one).ok());
  const std::vector<std::string> none = {"/nowhere"};
  const auto file = ScratchFile::Create(none);
  EXPECT_EQ(file.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(file.status().message().find("/nowhere: No such file"),
            std::string::npos);
}

TEST(ScratchFileTest, TellsWhatIsMissing) {
  const auto file = Scratch();
  EXPECT_EQ(file->Append("abc"), 0);
  EXPECT_EQ(file->Append("de"), 3);
  ASSERT_TRUE(file->Flush().ok());
  std::string read(2, ' ');
  ASSERT_TRUE(file->Read(2, 2, read.data()).ok());
  EXPECT_EQ(read, "cd");
  EXPECT_FALSE(file->Read(4, 2, read.data()).ok());
}

// However many parts it has: as if all were sorted at once.
TEST(WaitingLineTest, CountsWhoWaits) {
  std::mt19937_64 random(1);
  struct Wait {
    int64_t from, to;
  };
  std::vector<Wait> waits;
  for (int i = 0; i < 1000; ++i) {
    const auto from = static_cast<int64_t>(random() % 5000);
    waits.push_back({from, from + static_cast<int64_t>(1 + random() % 100)});
  }
  const auto at = [&](int64_t ns) {
    return static_cast<uint64_t>(std::count_if(
        waits.begin(), waits.end(),
        [ns](const Wait& wait) { return wait.from <= ns && wait.to > ns; }));
  };
  WaitingLine in_memory({}, 64);
  WaitingLine on_disk(ScratchPlaces(), 64);
  WaitingLine of_one_part(ScratchPlaces());
  WaitingLine long_parts(ScratchPlaces(), 2500);  // none fits in one read
  for (WaitingLine* line : {&in_memory, &on_disk, &of_one_part, &long_parts}) {
    for (uint32_t i = 0; i < waits.size(); ++i) {
      line->Waited(waits[i].from, waits[i].to);
      line->Came(i, waits[i].from);
    }
    size_t came = 0;
    int64_t last_ns = -1;
    uint64_t last = 0;
    const absl::Status status = line->Finish(
        [&](uint32_t row, uint64_t waiting) {
          ++came;
          const int64_t ns = waits[row].from;
          const auto others =
              std::count_if(waits.begin(), waits.end(), [ns](const Wait& wait) {
                return wait.from < ns && wait.to > ns;
              });
          EXPECT_EQ(waiting, static_cast<uint64_t>(others));
        },
        [&](int64_t ns, uint64_t waiting) {
          EXPECT_GT(ns, last_ns);
          EXPECT_NE(waiting, last);
          EXPECT_EQ(waiting, at(ns));
          last_ns = ns;
          last = waiting;
        });
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(came, waits.size());
    EXPECT_EQ(last, 0);
  }
}

TEST(LengthStoreTest, DrawsTheMostOfWhatCannotBeSeen) {
  const auto file = Scratch();
  LengthStore store(file.get());
  store.EndFile();  // A lane without any.
  for (int i = 0; i < 10'000; ++i) {
    store.Add(10 * i, i == 5'555 ? 99 : 1 + static_cast<uint64_t>(i % 2));
  }
  store.EndFile();
  ASSERT_TRUE(file->Flush().ok());
  std::vector<StoredLength> line;
  ASSERT_TRUE(store.Draw(0, 0, 100'000, 1, &line).ok());
  EXPECT_TRUE(line.empty());
  ASSERT_TRUE(store.Draw(1, 1'005, 1'040, 1, &line).ok());
  std::vector<int64_t> at;
  for (const StoredLength& length : line) at.push_back(length.at_ns);
  EXPECT_EQ(at, (std::vector<int64_t>{1'005, 1'010, 1'020, 1'030}));
  EXPECT_EQ(line.front().waiting, 1);
  line.clear();
  ASSERT_TRUE(store.Draw(1, 0, 100'000, 1'000, &line).ok());
  EXPECT_LT(line.size(), 400);
  uint64_t most = 0;
  for (const StoredLength& length : line) most = std::max(most, length.waiting);
  EXPECT_EQ(most, 99);
  line.clear();
  ASSERT_TRUE(store.Draw(1, 200'000, 300'000, 1'000, &line).ok());
  ASSERT_EQ(line.size(), 1);
  EXPECT_EQ(line.front().waiting, 2);
}

}  // namespace
}  // namespace edgewise
