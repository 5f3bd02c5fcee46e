#include "recorder/ring.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

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

// Of the calling thread so far, which needed no disk.
int64_t PageFaults() {
  rusage usage;
  EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_minflt;
}

// A sanitizer has memory of its own for that of the slots, and for the stack of
// each call. Reading gives a slot no memory to write to.
void TakeSanitizersFaults(const Ring& ring) {
  Ring other(ring.capacity());
  for (uint64_t n = 0; n < ring.capacity(); ++n) {
    ASSERT_TRUE(Push(other, n));
    [[maybe_unused]] const volatile uint64_t read = ring.Peek(n).ticks;
  }
}

TEST(RingTest, APopulatedRingTakesRecordsWithoutPageFaults) {
  constexpr uint64_t kRecords = 65'536;
  constexpr auto kPages =
      static_cast<int64_t>(kRecords * sizeof(Record) / 4096);
  Ring ring(kRecords);
  ASSERT_TRUE(Push(ring, 0));
  bool done = false;
  std::thread consumer([&] { done = ring.Populate(); });
  consumer.join();
  if (!done) GTEST_SKIP() << "this kernel has no MADV_POPULATE_WRITE";
  TakeSanitizersFaults(ring);
  const int64_t before = PageFaults();
  for (uint64_t n = 1; n < kRecords; ++n) {
    ASSERT_TRUE(Push(ring, n));
  }
  EXPECT_LT(PageFaults() - before, kPages / 16);
  EXPECT_EQ(ring.Readable(), kRecords);
  EXPECT_EQ(ring.Peek(0).ticks, 0u) << "what was pushed before is kept";
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
