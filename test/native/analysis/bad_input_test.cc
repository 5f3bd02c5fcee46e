#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "test/native/analysis/report_kit.h"

// Losses, gaps, restarts and records that hold nonsense: what is whole is
// analysed, and what is missing is counted.

namespace edgewise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kRead = EventType::kTcpRead;

// A request of one event.
void AddRequest(TraceBuilder* t, int64_t at, uint32_t id) {
  t->Start(at + 1, id).End(at + 9, id);
  t->Event(at, at + 10, {kRead, at, 5});
}

TEST(BadInputTest, LossDropsWhatHasNoEvent) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  t.Start(200, 2);
  const uint64_t read = t.Register();
  t.Event(200, 210, {kRead, 195, 5});
  // In the event that is lost: request 3 starts, 2 ends, 4 does both.
  t.Start(300, 3).End(305, 2).Start(306, 4).End(307, 4);
  t.Loss(310, 3);
  t.End(405, 3);
  t.Event(400, 410, {EventType::kFsRead, 390, read});
  AddRequest(&t, 500, 5);
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 2);
  EXPECT_EQ(report["requests"]["lost"], 3);
  EXPECT_EQ(report["requests"]["unfinished"], 0);
  EXPECT_EQ(report["events"]["orphaned"], 4);
}

TEST(BadInputTest, DroppedCountComesFromTheHeader) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  t.Loss(200, 17);
  t.Cut(300);
  t.Loss(350, 5);
  t.Cut(400);
  EXPECT_EQ(ReportOf(t)["events"]["dropped"], 22);
}

// Ids registered by lost events belong to nobody.
TEST(BadInputTest, LossHidesTheIdsRegisteredMeanwhile) {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  t.Register();
  t.Event(0, 10, {kRead, 0, 5});
  const uint64_t hidden = t.Register(10);
  t.Loss(20, 2);
  t.End(60, 1);
  t.Event(50, 70, {EventType::kFsRead, 45, hidden});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["path"][1]["inferred"], true);
}

TEST(BadInputTest, UnfinishedAndEndWithoutStart) {
  TraceBuilder t;
  t.Meta();
  t.End(15, 7);
  t.Event(10, 20, {kRead, 10, 5});
  t.Start(30, 8);
  t.Event(30, 40, {kRead, 30, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 0);
  EXPECT_EQ(report["requests"]["lost"], 1);
  EXPECT_EQ(report["requests"]["unfinished"], 1);
  EXPECT_EQ(report["latency_ns"]["p99"], nullptr);
  EXPECT_EQ(report["tail"]["io_ns"], nullptr);
}

// Requests 1 and 3 are open where records are missing, and never end.
TEST(BadInputTest, EndThatWasDroppedOrStandsInAMissingChunk) {
  TraceBuilder t;
  t.Meta().Start(100, 1);
  t.Event(100, 110, {kRead, 100, 5});
  t.Loss(200, 5).Start(300, 2);
  t.Event(300, 310, {kRead, 300, 5});
  t.End(405, 2);
  t.Event(400, 410, {kRead, 400, 5});
  t.Start(500, 3);
  t.Event(500, 510, {kRead, 500, 5});
  t.Cut(600).Start(700, 4);
  t.Event(700, 710, {kRead, 700, 5});
  t.Cut(900, /*skip=*/3).Start(1000, 5);
  t.Event(1000, 1010, {kRead, 1000, 5});
  const Json requests = ReportOf(t)["requests"];
  EXPECT_EQ(requests["count"], 1);
  EXPECT_EQ(requests["lost"], 2);
  EXPECT_EQ(requests["unfinished"], 2);
}

TEST(BadInputTest, OutcomesAreCounted) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  t.Start(200, 2).End(205, 2, "GET /", 0, 0, Outcome::kAborted);
  t.Event(200, 210, {kRead, 200, 5});
  t.Start(300, 3).End(305, 3, "job", 0, 0, Outcome::kFailed);
  t.Event(300, 310, {kRead, 300, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 2);
  EXPECT_EQ(report["requests"]["aborted"], 1);
  EXPECT_EQ(report["requests"]["failed"], 1);
  EXPECT_EQ(report["latency_ns"]["max"], 9);
}

// The event's records stand in two chunks.
TEST(BadInputTest, EventAcrossChunks) {
  TraceBuilder t;
  t.Meta().Start(100, 1);
  t.Cut(105);
  const uint64_t slice = t.Slice(110, t.sequence());
  t.End(115, 1);
  t.Event(100, 120, {kRead, 90, 5});
  EXPECT_EQ(slice, 2);
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
  EXPECT_EQ(request["latency_ns"], 25);
  EXPECT_THAT(request["path"], SizeIs(2));
}

TEST(BadInputTest, GapInStreamModeIsAProblem) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  t.Start(180, 2);
  t.Cut(200);
  AddRequest(&t, 300, 3);
  t.Cut(400, /*skip=*/2);
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 2);
  EXPECT_EQ(report["requests"]["lost"], 1);
  ASSERT_THAT(report["problems"], SizeIs(1));
  EXPECT_EQ(report["problems"][0]["what"],
            "chunk 4 follows where chunk 2 was expected");
}

// In flight mode the oldest chunks are gone. Their time is bridged by the rate
// between the chunks that are there: here the clock ran at half speed before.
TEST(BadInputTest, GapInFlightModeIsNone) {
  TraceBuilder t(1, 0, /*ticks_per_ns=*/2);
  t.Meta(R"({"mode":"flight"})");
  AddRequest(&t, 1'000'000, 1);
  t.Cut(1'000'100, /*skip=*/50);
  AddRequest(&t, 1'000'200, 2);
  t.Cut(1'000'300);
  std::string bytes = t.Bytes();
  // As if the clock had been set forward since the meta chunk was written.
  ChunkHeader meta;
  std::memcpy(&meta, bytes.data(), sizeof(meta));
  meta.monotonic_ns -= 500'000;
  meta.header_crc = Crc32c(&meta, offsetof(ChunkHeader, header_crc));
  std::memcpy(bytes.data(), &meta, sizeof(meta));
  const Json report = ReportOf(std::vector<std::string>{bytes});
  EXPECT_THAT(report["problems"], SizeIs(0));
  EXPECT_EQ(report["mode"], "flight");
  EXPECT_EQ(report["requests"]["count"], 2);
  EXPECT_EQ(report["latency_ns"]["p50"], 9);
  EXPECT_EQ(report["latency_ns"]["max"], 9);
}

// Four events of 90 ns, two of them before the chunks that are missing.
TEST(BadInputTest, WhatWasNotRecordedIsNoIdleTime) {
  TraceBuilder t;
  t.Meta(R"({"mode":"flight"})");
  const auto read = [&](int64_t at) { t.Event(at, at + 90, {kRead, at, 5}); };
  read(0);
  read(100);
  t.Cut(200);
  read(1'000'000);
  t.Cut(1'000'100, /*skip=*/50);
  read(1'000'200);
  t.Cut(1'000'300);
  t.Finish(1'000'350);
  TraceBuilder again;
  again.Event(2'000'000, 2'000'050, {kRead, 2'000'000, 5});
  again.Cut(2'000'100, /*skip=*/1);  // nor does a chunk come before this
  const Json alone = ReportOf(t);
  EXPECT_EQ(alone["duration_ns"], 1'000'350);
  EXPECT_EQ(alone["loop"]["busy_ns"], 4 * 90);
  EXPECT_EQ(alone["loop"]["span_ns"], 200 + 100 + 200 + 50);
  const Json both = ReportOf({t.Bytes(), again.Bytes()});
  EXPECT_EQ(both["loop"]["busy_ns"], 4 * 90 + 50);
  EXPECT_EQ(both["loop"]["span_ns"], 550 + 100);
}

TEST(BadInputTest, TimeBetweenSessionsWasNotRecorded) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  t.Finish(200);
  TraceBuilder u;
  u.Meta(TraceBuilder::kMeta, 5000);
  AddRequest(&u, 5100, 1);
  u.Finish(5300);
  const Json report = ReportOf(std::vector<std::string>{t.Bytes() + u.Bytes()});
  EXPECT_EQ(report["loop"]["span_ns"], 200 + 300);
}

// Recording was switched off and on: the second session counts from the start.
TEST(BadInputTest, RestartInOneFile) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  t.Start(150, 2);
  const uint64_t id = t.Register();
  t.Event(150, 160, {kRead, 150, 5});
  t.Finish(200);
  TraceBuilder u;
  u.Meta();
  u.set_counter(t.counter());
  // No event of the first session owns anything here.
  u.End(305, 2);
  u.Event(300, 310, {EventType::kFsRead, 300, id});
  AddRequest(&u, 400, 3);
  u.Finish(500);
  const Json report = ReportOf(std::vector<std::string>{t.Bytes() + u.Bytes()});
  EXPECT_EQ(report["requests"]["count"], 2);
  EXPECT_EQ(report["requests"]["unfinished"], 1);
  EXPECT_EQ(report["requests"]["lost"], 1);
  EXPECT_THAT(report["problems"], SizeIs(0));
}

TEST(BadInputTest, MissingMetaChunk) {
  TraceBuilder t;
  t.Cut(0);  // takes the place of the meta chunk
  AddRequest(&t, 100, 1);
  t.Cut(200);
  const std::string bytes = t.Bytes();
  const Json report =
      ReportOf(std::vector<std::string>{bytes.substr(sizeof(ChunkHeader))});
  EXPECT_EQ(report["requests"]["count"], 1);
  EXPECT_EQ(report["provider"], nullptr);
  EXPECT_THAT(report["problems"], SizeIs(1));
}

TEST(BadInputTest, MetaThatIsNoObject) {
  TraceBuilder t;
  t.Meta("[[[[[[1,2");
  AddRequest(&t, 100, 1);
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 1);
  ASSERT_THAT(report["problems"], SizeIs(1));
  EXPECT_EQ(report["problems"][0]["what"],
            "the meta chunk is not a JSON object");
}

TEST(BadInputTest, NonsenseFloatsAndKinds) {
  const float values[] = {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), -1.0F,
                          3.0e38F, -0.0F};
  for (const float duration : values) {
    for (const float ready : values) {
      TraceBuilder t;
      t.Meta();
      AddRequest(&t, 100, 1);
      t.Start(200, 2);
      Record event{};
      event.kind = RecordKind::kEvent;
      event.ticks = t.Ticks(200);
      event.duration = duration;
      event.ready_before = ready;
      event.type = 250;
      event.aux = 15;
      t.Raw(event);
      Record gc{};
      gc.kind = RecordKind::kGc;
      gc.ticks = t.Ticks(220);
      gc.duration = duration;
      gc.type = 99;
      t.Raw(gc);
      Record unknown{};
      unknown.kind = static_cast<RecordKind>(77);
      t.Raw(unknown);
      t.End(305, 2);
      t.Event(300, 310, {kRead, 290, 5});
      t.Cut(400);
      const Json request = RequestOf(t, 2);
      ExpectSums(request);
    }
  }
}

TEST(BadInputTest, HugeString) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  Record text{};
  text.kind = RecordKind::kString;
  text.id_lo = UINT32_MAX;
  text.aux = 9;
  t.Raw(text);
  AddRequest(&t, 200, 2);
  t.Cut(300);
  AddRequest(&t, 400, 3);
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 2);
  ASSERT_THAT(report["problems"], SizeIs(1));
  EXPECT_THAT(report["problems"][0]["what"].get<std::string>(),
              HasSubstr("longer than its chunk"));
}

TEST(BadInputTest, CounterAndClockGoBackward) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  t.Cut(200);
  t.set_counter(20);
  AddRequest(&t, 120, 2);
  t.Cut(150);
  AddRequest(&t, 300, 3);
  t.Cut(400);
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 3);
  EXPECT_THAT(report["problems"], SizeIs(2));
}

TEST(BadInputTest, TicksFromAnotherWorld) {
  TraceBuilder t;
  t.Meta();
  for (const uint64_t ticks : {uint64_t{0}, UINT64_MAX, uint64_t{1} << 63}) {
    t.Start(100, 1);
    Record event{};
    event.kind = RecordKind::kEvent;
    event.ticks = ticks;
    event.duration = 1e9F;
    t.Raw(event);
  }
  t.End(200, 1);
  t.Event(190, 210, {kRead, 180, 5});
  const Json request = RequestOf(t, 1);
  ExpectSums(request);
}

// Its end is beyond the last number that there is, and comes out small.
TEST(BadInputTest, CollectionWithoutEventThatEndsBeforeItBegins) {
  TraceBuilder t;
  t.Meta();
  AddRequest(&t, 100, 1);
  Record gc{};
  gc.kind = RecordKind::kGc;
  gc.ticks = UINT64_MAX - 10;
  gc.duration = 1e6F;
  t.Raw(gc).Loss(200, 1).Cut(300);
  EXPECT_EQ(ReportOf(t)["gc"]["count"], 1);
  EXPECT_EQ(ReportOf(t)["gc"]["total_ns"], 0);
}

TEST(BadInputTest, RequestIdStartsTwice) {
  TraceBuilder t;
  t.Meta().Start(100, 1);
  t.Event(100, 110, {kRead, 100, 5});
  t.Start(200, 1).End(205, 1);
  t.Event(200, 210, {kRead, 200, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 1);
  EXPECT_EQ(report["requests"]["lost"], 1);
  EXPECT_EQ(report["latency_ns"]["max"], 5);
}

TEST(BadInputTest, RouteTextIsMissingOrNotUtf8) {
  TraceBuilder t;
  t.Meta().Start(100, 1).End(105, 1, "GET /\xff\xfe");
  Record end{};
  end.kind = RecordKind::kRequestEnd;
  end.ticks = t.Ticks(108);
  end.aux = 2;
  end.duration = std::bit_cast<float>(4711U);
  t.Start(106, 2).Raw(end);
  t.Event(100, 110, {kRead, 100, 5});
  const Json report = ReportOf(t);
  EXPECT_EQ(report["requests"]["count"], 2);
  std::vector<std::string> routes;
  for (const Json& route : report["routes"]) routes.push_back(route["route"]);
  EXPECT_THAT(routes, ::testing::UnorderedElementsAre(
                          "GET /\xEF\xBF\xBD\xEF\xBF\xBD", "(unknown route)"));
}

}  // namespace
}  // namespace edgewise
