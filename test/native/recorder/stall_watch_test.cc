#include "recorder/stacks/stall_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "platform/clock.h"

namespace edgewise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;

class StallWatchTest : public ::testing::Test {
 protected:
  // Looks at an event that began at `begin_ms` (of the test's clock).
  bool Look(int64_t begin_ms, int64_t now_ms) {
    return watch_.Look(At(begin_ms), At(now_ms));
  }
  bool Idle(int64_t now_ms) { return watch_.Look(0, At(now_ms)); }
  void Tell(int64_t begin_ms, std::string function) {
    watch_.Tell(At(begin_ms), {.function = std::move(function),
                               .script = "/a.js",
                               .line = 3,
                               .column = 7,
                               .route = "GET /x"});
  }
  static uint64_t At(int64_t ms) {
    return 1'000'000'000 + NsToTicks(static_cast<double>(ms * kMs));
  }

  std::vector<std::string> lines_;
  std::vector<Stall> ended_;
  StallWatch watch_{100 * kMs, 0,
                    [this](const std::string& line) { lines_.push_back(line); },
                    [this](const Stall& stall) { ended_.push_back(stall); }};
};

TEST_F(StallWatchTest, AShortEventIsNone) {
  EXPECT_FALSE(Look(0, 99));
  EXPECT_FALSE(watch_.wanted());
  EXPECT_FALSE(Idle(100));
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(StallWatchTest, TheEventInWhichItBeganIsNone) {
  watch_.Leave(At(0));
  EXPECT_FALSE(Look(0, 500));
  EXPECT_TRUE(Look(500, 601));
}

TEST_F(StallWatchTest, IsToldWhileItLastsAndWhenItIsOver) {
  EXPECT_TRUE(Look(0, 101)) << "its place is wanted";
  EXPECT_TRUE(watch_.wanted());
  EXPECT_THAT(lines_, IsEmpty());
  Tell(0, "compose");
  EXPECT_FALSE(Look(0, 102));
  EXPECT_THAT(lines_, ElementsAre("edgewise: the event loop is busy for 0.10 "
                                  "s: GET /x, in compose (/a.js:3:7)\n"));
  EXPECT_FALSE(Look(0, 300));
  EXPECT_FALSE(Idle(450));
  EXPECT_EQ(lines_.size(), 1u);
  ASSERT_EQ(ended_.size(), 1u);
  EXPECT_NEAR(static_cast<double>(ended_[0].ns), 450e6, 1e4);
  EXPECT_EQ(ended_[0].place.function, "compose");
  EXPECT_FALSE(watch_.wanted());
}

TEST_F(StallWatchTest, NativeCodeIsToldAsThat) {
  EXPECT_TRUE(Look(0, 101));
  EXPECT_TRUE(Look(0, 140));
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_TRUE(Look(0, 160));
  EXPECT_THAT(lines_,
              ElementsAre(HasSubstr(
                  "busy for 0.16 s: in native code that has not come back")));
  Tell(0, "hashing");  // It has come back.
  EXPECT_FALSE(Look(170, 171));
  ASSERT_EQ(ended_.size(), 1u);
  EXPECT_TRUE(ended_[0].seen);
  EXPECT_EQ(ended_[0].place.function, "hashing");
}

TEST_F(StallWatchTest, APlaceOfAnotherEventIsNotTold) {
  EXPECT_TRUE(Look(0, 101));
  Tell(0, "first");
  EXPECT_TRUE(Look(110, 211));
  EXPECT_TRUE(Look(110, 290));
  Idle(291);
  ASSERT_EQ(ended_.size(), 2u);
  EXPECT_FALSE(ended_[1].seen);
  EXPECT_TRUE(ended_[1].place.route.empty());
}

TEST_F(StallWatchTest, LinesAreFewAndCountTheRest) {
  for (int64_t i = 0; i < 5; ++i) {
    Look(1000 * i, 1000 * i + 101);
    Tell(1000 * i, "busy");
    Idle(1000 * i + 200);
  }
  EXPECT_EQ(lines_.size(), 1u);
  EXPECT_EQ(ended_.size(), 5u);
  Look(20'000, 20'101);
  Tell(20'000, "busy");
  Idle(20'200);
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_THAT(lines_[1], HasSubstr("; 4 more since the last\n"));
}

TEST(StallLineTest, NamesTheWorkerAndWhatHasNoName) {
  Stall stall;
  stall.ns = 1'234'000'000;
  stall.seen = true;
  stall.place.script = "/b.js";
  stall.place.line = 1;
  stall.place.column = 2;
  EXPECT_EQ(StallLine(stall, 3, 0),
            "edgewise: the event loop of worker thread 3 is busy for 1.23 s: "
            "in a function without a name (/b.js:1:2)\n");
  stall.place.script.clear();
  EXPECT_THAT(StallLine(stall, 0, 0), HasSubstr("no JavaScript function runs"));
}

}  // namespace
}  // namespace edgewise
