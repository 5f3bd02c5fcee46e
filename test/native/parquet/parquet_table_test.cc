#include "parquet/parquet_table.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "parquet/encoding.h"
#include "test/native/parquet/parquet_reader.h"

namespace edgewise {
namespace {

using Kind = ParquetColumn::Kind;
constexpr int64_t kNone = ParquetTable::kNone;

class ParquetTableTest : public testing::Test {
 protected:
  ParquetTableTest() {
    std::string pattern = testing::TempDir() + "/edgewise-parquet-XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~ParquetTableTest() override { std::filesystem::remove_all(directory_); }

  static std::string TextOf(uint32_t number) {
    return number == 3 ? "" : "name " + std::to_string(number);
  }

  static ParquetTable::Plan PlanAt(const std::string& path) {
    ParquetTable::Plan plan;
    plan.path = path;
    plan.columns = {{"at", Kind::kWhole, false, {}},
                    {"some", Kind::kWhole, true, {}},
                    {"what", Kind::kName, false, TextOf},
                    {"which", Kind::kName, true, TextOf},
                    {"is", Kind::kFlag, false, {}},
                    {"may", Kind::kFlag, true, {}}};
    plan.about = {{"edgewise.schema", "1"}};
    return plan;
  }

  std::string directory_;
};

using Row = std::array<int64_t, 6>;

ParquetFile::Cell CellOf(const Row& row, size_t column) {
  if (row[column] == kNone) return {};
  if (column == 2 || column == 3) {
    return row[column] == 3 ? "" : "name " + std::to_string(row[column]);
  }
  return row[column];
}

// Whole numbers of all sizes, runs and jumps.
Row RandomRow(std::mt19937_64* random, const Row& before) {
  const auto pick = [&](uint64_t below) { return (*random)() % below; };
  const auto whole = [&]() -> int64_t {
    const auto any = static_cast<int64_t>((*random)());
    return any == kNone ? 0 : any >> pick(64);
  };
  if (pick(4) == 0) return before;
  const bool runs = pick(3) == 0;
  return {whole(),
          pick(3) == 0 ? kNone : whole(),
          static_cast<int64_t>(runs ? 1 : pick(300)),
          pick(5) == 0 ? kNone : static_cast<int64_t>(pick(4)),
          static_cast<int64_t>(pick(2)),
          pick(2) == 0 ? kNone : static_cast<int64_t>(pick(2))};
}

TEST_F(ParquetTableTest, WhatIsWrittenIsReadBack) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::string path = directory_ + "/" + std::to_string(seed);
    ParquetTable::Plan plan = PlanAt(path);
    plan.group_rows = 1 + random() % 700;
    const size_t group_rows = plan.group_rows;
    auto table = ParquetTable::Create(std::move(plan));
    ASSERT_TRUE(table.ok()) << table.status();
    std::vector<Row> rows(random() % 2000);
    Row before{};
    for (Row& row : rows) {
      row = before = RandomRow(&random, before);
      (*table)->Add(row);
    }
    ASSERT_TRUE((*table)->Close().ok());
    const ParquetFile read = ParquetFile::Read(path);
    ASSERT_EQ(read.rows.size(), rows.size());
    EXPECT_EQ(read.groups.size(), (rows.size() + group_rows - 1) / group_rows);
    // Within each group they are in order.
    for (size_t from = 0; from < rows.size(); from += group_rows) {
      const size_t to = std::min(rows.size(), from + group_rows);
      std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(from),
                       rows.begin() + static_cast<std::ptrdiff_t>(to),
                       [](const Row& a, const Row& b) { return a[0] < b[0]; });
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t column = 0; column < read.names.size(); ++column) {
        ASSERT_EQ(read.rows[i].at(read.names[column]), CellOf(rows[i], column))
            << "row " << i << " " << read.names[column];
      }
    }
    EXPECT_EQ(read.about.at("edgewise.schema"), "1");
  }
}

TEST_F(ParquetTableTest, OnlyItsUserReadsIt) {
  const std::string path = directory_ + "/private";
  auto table = ParquetTable::Create(PlanAt(path));
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE((*table)->Close().ok());
  struct stat found;
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  EXPECT_TRUE(ParquetFile::Read(path).rows.empty());
}

TEST_F(ParquetTableTest, AFileThatIsThereIsNotOverwritten) {
  const std::string path = directory_ + "/there";
  std::ofstream(path) << "as it was";
  const auto table = ParquetTable::Create(PlanAt(path));
  EXPECT_EQ(table.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(table.status().message(), "cannot write " + path + ": File exists");
}

TEST_F(ParquetTableTest, WhatCannotBeWrittenIsTold) {
  const std::string path = directory_ + "/full";
  auto table = ParquetTable::Create(PlanAt(path));
  ASSERT_TRUE(table.ok());
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  auto* const handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) (*table)->Add(RandomRow(&random, {}));
  const absl::Status status = (*table)->Close();
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "cannot write " + path + ": File too large");
}

TEST(EncodingTest, WhatIsNoUtf8IsReplaced) {
  EXPECT_EQ(ValidText("GET /\xC3\xA9"), "GET /\xC3\xA9");
  EXPECT_EQ(ValidText("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(ValidText("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // too long
  EXPECT_EQ(ValidText("\xED\xA0\x80").size(), 9U);               // surrogate
  EXPECT_EQ(ValidText("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");  // whole
  EXPECT_EQ(ValidText("\xF0\x9F\x98"),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // cut
}

}  // namespace
}  // namespace edgewise
