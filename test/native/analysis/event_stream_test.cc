#include "analysis/stream/event_stream.h"

#include <gtest/gtest.h>

#include "analysis/stream/clock_map.h"
#include "test/native/analysis/report_kit.h"
#include "trace/names.h"

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;

TEST(ClockMapTest, PiecewiseLinear) {
  ClockMap clock;
  EXPECT_TRUE(clock.Advance(1000, 500));
  EXPECT_TRUE(clock.Advance(3000, 1500));  // 0.5 ns a tick
  EXPECT_EQ(clock.ToNs(1000), 500);
  EXPECT_EQ(clock.ToNs(2000), 1000);
  EXPECT_TRUE(clock.Advance(4000, 3500));  // 2 ns a tick
  EXPECT_EQ(clock.ToNs(3500), 2500);
  EXPECT_EQ(clock.ToNs(4000), 3500);
  // An event that began in the piece before, or before all.
  EXPECT_EQ(clock.ToNs(2000), 1000);
  EXPECT_EQ(clock.ToNs(600), 300);
  EXPECT_EQ(clock.ToNs(0), 0);
}

TEST(ClockMapTest, GapTakesTheRateOfWhatFollows) {
  ClockMap clock;
  EXPECT_TRUE(clock.Advance(0, 0));
  EXPECT_TRUE(clock.AdvanceAcrossGap(10'000, 50'000, 11'000, 52'000));
  EXPECT_EQ(clock.ToNs(9'900), 49'800);
  EXPECT_EQ(clock.ToNs(10'000), 50'000);
  EXPECT_TRUE(clock.Advance(11'000, 52'000));
  EXPECT_EQ(clock.ToNs(10'500), 51'000);
  EXPECT_EQ(clock.ToNs(9'900), 49'800);
}

TEST(ClockMapTest, BackwardClocksKeepTheRate) {
  ClockMap clock;
  EXPECT_TRUE(clock.Advance(1000, 1000));
  EXPECT_TRUE(clock.Advance(2000, 3000));
  EXPECT_FALSE(clock.Advance(1500, 2500));
  EXPECT_FALSE(clock.Advance(2500, 2500));
  EXPECT_EQ(clock.ToNs(1500), 2000);
  EXPECT_TRUE(clock.Advance(3000, 4000));
}

TEST(ClockMapTest, LongHistoryIsForgottenNotMisread) {
  ClockMap clock;
  // A rate that alternates, so that a wrong piece shows.
  uint64_t ticks = 0;
  int64_t ns = 0;
  clock.Advance(ticks, ns);
  for (int i = 0; i < 5000; ++i) {
    ticks += 100;
    ns += i % 2 == 0 ? 100 : 300;
    clock.Advance(ticks, ns);
  }
  // 500 pieces back, still held: 250 pairs of 400.
  EXPECT_EQ(clock.ToNs(ticks - 50'000), ns - 250 * 400);
  EXPECT_EQ(clock.ToNs(ticks - 49'950), ns - 250 * 400 + 50);
}

TEST(ClockMapTest, AnyTicksGiveATimeInRange) {
  ClockMap clock;
  clock.Advance(1000, 1000);
  clock.Advance(1001, ClockMap::kMaxNs);
  for (const uint64_t ticks : {uint64_t{0}, uint64_t{999}, UINT64_MAX,
                               uint64_t{1} << 63, uint64_t{1} << 40}) {
    EXPECT_GE(clock.ToNs(ticks), 0);
    EXPECT_LE(clock.ToNs(ticks), ClockMap::kMaxNs);
  }
}

TEST(ClockMapTest, AJumpThatIsNoTimeIsRefused) {
  ClockMap clock;
  EXPECT_TRUE(clock.Advance(1000, 1000));
  EXPECT_TRUE(clock.Advance(2000, 2000));
  EXPECT_FALSE(clock.Advance(UINT64_MAX - 1, ClockMap::kMaxNs));
  EXPECT_EQ(clock.ToNs(2500), 2500);
  for (const uint64_t ticks : {UINT64_MAX, (uint64_t{1} << 63) + 3000}) {
    EXPECT_GE(clock.ToNs(ticks), 0);
    EXPECT_LE(clock.ToNs(ticks), ClockMap::kMaxNs);
  }
}

// The trace's clock runs at 2.5 ticks a nanosecond, and its rate changes.
TEST(EventStreamTest, TimesComeFromTheClockTriples) {
  TraceBuilder t(1, 0, 2.5);
  t.Meta().Start(1010, 1);
  const uint64_t read = t.Register();
  t.Event(1000, 1400, {kRead, 900, 5});
  t.Cut(2000);
  t.End(3000, 1);
  t.Event(2600, 3200, {EventType::kFsRead, 2400, read});
  t.Cut(4000);
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["start_ns"], TraceBuilder::kBaseNs + 900);
  EXPECT_EQ(request["latency_ns"], 2100);
  EXPECT_EQ(request["path"][1]["io_ns"], 1000);
  EXPECT_EQ(request["path"][1]["queue_ns"], 200);
  EXPECT_EQ(request["path"][1]["exec_ns"], 400);
}

// An event of five seconds that spans many chunks.
TEST(EventStreamTest, LongEventAcrossChunks) {
  TraceBuilder t(1, 0, 2.5);
  t.Meta();
  for (int64_t i = 1; i <= 50; ++i) t.Cut(i * 100'000'000);
  t.Start(1'000'000, 1).End(4'999'000'000, 1);
  t.Event(1'000'000, 4'999'500'000, {kRead, 500'000, 5});
  t.Cut(5'100'000'000);
  const Json request = RequestOf(t, 1);
  EXPECT_NEAR(request["latency_ns"].get<double>(), 4'998'500'000, 100);
  ExpectSums(request);
}

// The records hold 40 bits of an id; a server may live longer than that.
TEST(EventStreamTest, IdsBeyondFortyBits) {
  TraceBuilder t;
  t.set_counter((uint64_t{1} << 40) - 2);
  t.Meta();
  t.Event(0, 5, {kRead, 0, 5});
  t.Start(10, 1);
  t.Register(2);
  const uint64_t read = t.Register(2);  // passes 2^40
  t.Event(10, 20, {kRead, 10, 5});
  t.End(45, 1);
  t.Event(40, 50, {EventType::kFsRead, 30, read});
  EXPECT_GT(read, kIdMask);
  const Json request = RequestOf(t, 1);
  EXPECT_EQ(PathOf(request).size(), 2);
  EXPECT_EQ(request["nodes"][1]["parent"], 0);
  EXPECT_EQ(request["path"][1]["inferred"], false);
}

// Ids of a closed request's connection, or of an accept, own nothing; and the
// start of a request takes its event, whoever registered the connection.
TEST(EventStreamTest, KeepAliveConnection) {
  TraceBuilder t;
  t.Meta();
  const uint64_t connection = t.Register();
  t.Event(0, 5, {EventType::kAccept, 0, 3});
  t.Start(10, 1).End(15, 1);
  t.Event(10, 20, {kRead, 10, connection});
  // The first request of this connection is still open when its second read
  // comes.
  t.Start(30, 2);
  const uint64_t upgraded = t.Register();
  t.Event(30, 40, {kRead, 30, 5});
  t.Start(51, 3).End(55, 3);
  t.Event(50, 60, {kRead, 50, upgraded});
  t.End(75, 2);
  t.Event(70, 80, {EventType::kFsRead, 65, connection});
  const Json third = RequestOf(t, 3);
  EXPECT_EQ(PathOf(third), (std::vector<StepTimes>{{"tcp_read", 0, 0, 5}}));
  const Json second = RequestOf(t, 2);
  ExpectSums(second);
  EXPECT_EQ(second["nodes"].size(), 2);
  EXPECT_EQ(second["path"][1]["inferred"], true);
}

TEST(EventStreamTest, UnavailableIds) {
  TraceBuilder t;
  t.set_counter(0);
  t.Meta().Start(10, 1);
  t.Event(10, 20, {kRead, 10, 0});
  t.End(35, 1);
  t.Event(30, 40, {EventType::kFsRead, 25, 0});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["path"][1]["inferred"], true);
}

// Another process with the same id wrote on: its ids are fewer.
TEST(EventStreamTest, CounterOfASecondSession) {
  TraceBuilder t;
  t.set_counter(1'000'000);
  t.Meta();
  t.Event(10, 20, {kRead, 10, 5});
  t.Finish(30);
  TraceBuilder u;
  u.Meta(TraceBuilder::kMeta, 1000).Start(1000, 1);
  const uint64_t own = u.Register();
  u.Event(1000, 1010, {kRead, 1000, 5});
  u.End(2010, 1);
  u.Event(2000, 2020, {EventType::kFsRead, 1900, own});
  u.Finish(3000);
  const Json report = ReportOf(std::vector<std::string>{t.Bytes() + u.Bytes()});
  EXPECT_EQ(report["problems"].size(), 0);
  EXPECT_EQ(report["slowest"][0]["path"][1]["inferred"], false);
}

// A recorder that began inside an event does not know the counter: the event
// must not own all ids that there are.
TEST(EventStreamTest, FirstCounterUnknown) {
  TraceBuilder t;
  t.set_counter(0);
  t.Meta();
  const uint64_t old = t.Register(500);
  t.Start(10, 1);
  const uint64_t own = t.Register();
  t.Event(5, 20, {kRead, 5, 3});
  t.Event(30, 40, {EventType::kTimer, 25, old});
  t.End(55, 1);
  t.Event(50, 60, {EventType::kFsRead, 45, own});
  const Json request = RequestOf(t, 1);
  EXPECT_EQ(request["nodes"].size(), 2);
  EXPECT_EQ(request["path"][1]["inferred"], false);
}

TEST(NamesTest, EveryValueHasOneAndNonsenseToo) {
  for (int type = 0; type < kEventTypes; ++type) {
    const std::string name = EventTypeName(static_cast<EventType>(type));
    EXPECT_EQ(name == "unknown", type == 0) << type;
  }
  EXPECT_STREQ(EventTypeName(EventType::kCustom), "custom");
  EXPECT_STREQ(EventTypeName(EventType::kThreadPool), "thread_pool");
  EXPECT_STREQ(EventTypeName(static_cast<EventType>(200)), "unknown");
  EXPECT_STREQ(GcTypeName(GcType::kWeakCallbacks), "weak_callbacks");
  EXPECT_STREQ(ReadyKindName(ReadyKind::kUpperBound), "upper-bound");
  EXPECT_STREQ(OutcomeName(Outcome::kAborted), "aborted");
  EXPECT_STREQ(RequestKindName(static_cast<RequestKind>(9)), "unknown");
}

}  // namespace
}  // namespace edgewise
