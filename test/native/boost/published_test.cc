#include "boost/actuator/published.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace edgewise {
namespace {

struct Pair {
  uint64_t one;
  uint64_t more[6];
  uint32_t last;
};

TEST(PublishedTest, ReadsWhatWasWritten) {
  Published<Pair> published{};
  const uint32_t before = published.version();
  published.Write({1, {2, 3, 4, 5, 6, 7}, 8});
  EXPECT_NE(published.version(), before);
  Pair pair;
  ASSERT_TRUE(published.Read(&pair));
  EXPECT_EQ(pair.one, 1);
  EXPECT_EQ(pair.more[5], 7);
  EXPECT_EQ(pair.last, 8);
}

TEST(PublishedTest, AReaderNeverSeesHalfAValue) {
  constexpr uint64_t kWrites = 200'000;
  Published<Pair> published{};
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (uint64_t i = 1; i <= kWrites; ++i) {
      published.Write({i, {i, i, i, i, i, i}, static_cast<uint32_t>(i)});
    }
    done = true;
  });
  uint64_t last = 0;
  while (!done) {
    Pair pair;
    if (!published.Read(&pair)) continue;
    for (const uint64_t word : pair.more) EXPECT_EQ(word, pair.one);
    EXPECT_EQ(pair.last, pair.one);
    EXPECT_GE(pair.one, last);
    last = pair.one;
  }
  writer.join();
  Pair pair;
  ASSERT_TRUE(published.Read(&pair));
  EXPECT_EQ(pair.one, kWrites);
}

}  // namespace
}  // namespace edgewise
