#include "analysis/builder/request_table.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>

namespace edgewise {
namespace {

// 0 under a sanitizer, whose allocator does not tell.
size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(RequestTableTest, OldestIsTheFirstThatIsOpen) {
  RequestTable<int> table;
  const RequestRef first = table.Start(7);
  const RequestRef second = table.Start(8);
  EXPECT_EQ(table.Oldest(), first);
  table.Close(first);
  EXPECT_EQ(table.Oldest(), second);
  for (uint32_t id = 100; id < 10'000; ++id) table.Close(table.Start(id));
  const RequestRef third = table.Start(9);
  EXPECT_EQ(table.Oldest(), second);
  table.Close(second);
  EXPECT_EQ(table.Oldest(), third);
  table.Close(third);
  EXPECT_EQ(table.Oldest().generation, 0);
  EXPECT_EQ(table.open(), 0);
}

// A server whose ends are all lost: each start closes the oldest.
TEST(RequestTableTest, AFullTableStaysAsLargeAsItIs) {
  RequestTable<int> table;
  uint32_t id = 0;
  const auto start = [&](uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (table.full()) table.Close(table.Oldest());
      table.Start(id++);
    }
  };
  start(RequestTable<int>::kMaxOpen * 3);
  const size_t full = HeapBytes();
  start(3'000'000);
  EXPECT_LT(HeapBytes(), full + (4 << 20));
  EXPECT_EQ(table.starts(), id);
  EXPECT_EQ(table.At(table.Oldest()).id, id - table.open());
}

}  // namespace
}  // namespace edgewise
