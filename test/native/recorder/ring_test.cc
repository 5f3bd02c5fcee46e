#include "recorder/ring.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace edgewise {
namespace {

bool Push(Ring& ring, uint64_t n) {
  return ring.Push([n](Record& record) {
    record.kind = RecordKind::kEvent;
    record.ticks = n;
  });
}

TEST(RingTest, GivesBackWhatWasPushedInOrder) {
  Ring ring(8);
  for (uint64_t n = 0; n < 5; ++n) {
    ASSERT_TRUE(Push(ring, n));
  }
  ASSERT_EQ(ring.Readable(), 5u);
  EXPECT_EQ(ring.Peek(4).ticks, 4u);
  std::vector<Record> out(5);
  ring.Pop(out.data(), 5);
  for (uint64_t n = 0; n < 5; ++n) EXPECT_EQ(out[n].ticks, n);
  EXPECT_EQ(ring.Readable(), 0u);
}

TEST(RingTest, RefusesWhenFullAndTakesAgainAfterAPop) {
  Ring ring(4);
  for (uint64_t n = 0; n < 4; ++n) {
    ASSERT_TRUE(Push(ring, n));
  }
  EXPECT_FALSE(Push(ring, 4));
  Record out[2];
  ring.Pop(out, 2);
  EXPECT_EQ(out[1].ticks, 1u);
  EXPECT_TRUE(Push(ring, 5));
  EXPECT_TRUE(Push(ring, 6));
  EXPECT_FALSE(Push(ring, 7));
}

TEST(RingTest, PopsAcrossTheWrap) {
  Ring ring(4);
  Record out[4];
  for (uint64_t n = 0; n < 3; ++n) {
    ASSERT_TRUE(Push(ring, n));
  }
  ring.Pop(out, 3);
  for (uint64_t n = 3; n < 7; ++n) {
    ASSERT_TRUE(Push(ring, n));
  }
  ring.Pop(out, 4);
  for (uint64_t n = 0; n < 4; ++n) EXPECT_EQ(out[n].ticks, n + 3);
}

// Meant for ThreadSanitizer as much as for the assertion.
TEST(RingTest, CarriesEveryRecordFromOneThreadToAnother) {
  constexpr uint64_t kRecords = 300'000;
  Ring ring(64);
  std::thread producer([&] {
    for (uint64_t n = 0; n < kRecords;) {
      if (Push(ring, n)) {
        ++n;
      } else {
        std::this_thread::yield();
      }
    }
  });
  uint64_t next = 0;
  std::vector<Record> out(64);
  while (next < kRecords) {
    const size_t readable = ring.Readable();
    ring.Pop(out.data(), readable);
    for (size_t i = 0; i < readable; ++i) ASSERT_EQ(out[i].ticks, next++);
    if (readable == 0) std::this_thread::yield();
  }
  producer.join();
}

}  // namespace
}  // namespace edgewise
