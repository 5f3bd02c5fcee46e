#include "test/native/recorder/event_tracker_kit.h"

// When what a read brought has arrived.

namespace edgewise {
namespace {

// The kernel's stamp is of the last segment; the first was seen before.
TEST_F(EventTrackerTest, AReadIsReadySinceItsFirstSegment) {
  constexpr uint64_t kSeen = 1'000'000;
  Poll(/*waited=*/false);
  const uint64_t now = Ticks();
  const auto read = [&](uint64_t since, uint64_t by) {
    tracker_->IoBegan(EventType::kTcpRead, 7, {now, {since, by}, false});
    tracker_->IoEnd(ReadClocks().realtime_ns - 1000);
    Js(21);
  };
  read(now - 2 * kSeen, now - kSeen);  // the stamp is later: another segment
  read(now - 2 * kSeen, now + NsToTicks(1e9));  // the stamp is of what was seen
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].kind, RecordKind::kArrival);  // of the last part
  EXPECT_LT(records[0].ready_before, static_cast<float>(NsToTicks(1e8)));
  EXPECT_GE(records[1].ready_before, static_cast<float>(kSeen));
  EXPECT_LT(records[2].ready_before, static_cast<float>(NsToTicks(1e8)));
}

// A Unix socket's bytes have no stamps.
TEST_F(EventTrackerTest, APipesLastPartIsTheOneThatTheWatcherSawLast) {
  constexpr uint64_t kPart = 1'000'000;
  Poll(/*waited=*/false);
  const uint64_t now = Ticks();
  for (const uint64_t latest : {now - kPart, now - 3 * kPart}) {
    tracker_->IoBegan(
        EventType::kPipeRead, 7,
        {now,
         {now - 3 * kPart, now - 3 * kPart, now - 2 * kPart, latest},
         false});
    tracker_->IoEnd(0);
    Js(21);
  }
  Poll();
  const auto records = Finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].kind, RecordKind::kArrival);
  EXPECT_NEAR(records[0].ready_before, static_cast<float>(kPart), 100);
  EXPECT_GE(records[1].ready_before, static_cast<float>(3 * kPart));
  EXPECT_GE(records[2].ready_before, static_cast<float>(3 * kPart));
}

}  // namespace
}  // namespace edgewise
