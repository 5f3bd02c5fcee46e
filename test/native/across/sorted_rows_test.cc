#include "across/sorted_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

namespace edgewise {
namespace {

struct Number {
  uint64_t value;
  uint64_t when;
  auto order() const { return std::tuple(value, when); }
};

std::vector<uint64_t> Read(const SortedRows<Number>& rows) {
  std::vector<uint64_t> values;
  SortedRows<Number>::Reader reader(&rows);
  for (; reader.row() != nullptr; reader.Next()) {
    values.push_back(reader.row()->value);
  }
  EXPECT_TRUE(reader.status().ok()) << reader.status();
  return values;
}

class SortedRowsTest : public testing::TestWithParam<size_t> {};

TEST_P(SortedRowsTest, GivesAllInOrderAsOftenAsTheyAreRead) {
  const std::vector<std::string> scratch = {testing::TempDir()};
  SortedRows<Number> rows(scratch, /*most=*/16);
  std::mt19937_64 random(1);
  std::vector<uint64_t> expected;
  for (size_t i = 0; i < GetParam(); ++i) {
    const uint64_t value = random() % 1000;
    expected.push_back(value);
    rows.Add({value, i});
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_TRUE(rows.Finish().ok());
  EXPECT_EQ(rows.count(), GetParam());
  EXPECT_EQ(Read(rows), expected);
  EXPECT_EQ(Read(rows), expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SortedRowsTest,
                         testing::Values(0, 1, 15, 16, 17, 32, 1000));

TEST(SortedRowsTest, SaysWhereNoFileCanHoldThem) {
  const std::vector<std::string> scratch = {"/nowhere/at/all"};
  SortedRows<Number> rows(scratch, /*most=*/2);
  for (uint64_t i = 0; i < 5; ++i) rows.Add({i, i});
  const absl::Status status = rows.Finish();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_NE(status.message().find("/nowhere/at/all"), status.message().npos);
}

}  // namespace
}  // namespace edgewise
