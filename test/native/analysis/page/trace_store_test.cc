// What a page asks for, from the disk, is what the report says.

#include "analysis/page/store/trace_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test/native/analysis/page/page_kit.h"
#include "test/native/analysis/random_trace.h"
#include "test/native/analysis/report_kit.h"

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;

// A trace, with its page's columns and the store.
struct Viewed {
  explicit Viewed(TraceBuilder& trace, int64_t slowest = 5)
      : Viewed(std::vector{trace.Bytes()}, slowest) {}
  Viewed(const std::vector<std::string>& files, int64_t slowest) {
    ReportOptions for_page;
    for_page.columns = &held;
    for_page.slowest = slowest;
    ReportOf(files, for_page);
    auto created = TraceStore::Create(ScratchPlaces());
    EXPECT_TRUE(created.ok()) << created.status();
    store = *std::move(created);
    ReportOptions options;
    options.columns = &columns;
    options.store = store.get();
    options.slowest = slowest;
    ReportOf(files, options);
  }
  Page Window(int64_t from_ns, int64_t to_ns, int64_t least_ns) {
    return Answer(store->Window(from_ns, to_ns, least_ns));
  }
  Page Slowest(const RequestSelection& selection, size_t most) {
    return Answer(store->Slowest(selection, most));
  }
  Page Answer(const absl::StatusOr<std::string>& bytes) {
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    answers.push_back(std::make_unique<std::string>(bytes.value_or("")));
    return Page(*answers.back());
  }
  std::string held;     // the columns of a page from disk
  std::string columns;  // of one that asks
  std::unique_ptr<TraceStore> store;
  std::vector<std::unique_ptr<std::string>> answers;
};

// Requests one after the other, of which each `slow`th takes longer, and makes
// the next three wait.
void Serve(int requests, int slow, TraceBuilder* t) {
  int64_t at = 1'000'000;
  for (int i = 0; i < requests; ++i) {
    const auto id = static_cast<uint32_t>(i + 1);
    const int64_t runs = i % slow == 0 ? 20'000 + i : 1'000 + i % 7;
    const int64_t ready = i % slow < 4 ? at - 500 * (i % slow) : at;
    if (i % 10 == 3) t->Gc(GcType::kScavenge, at + 100, at + 300);
    t->Start(at, id);
    t->End(at + runs - 10, id, i % 2 == 0 ? "GET /a" : "GET /b");
    t->Event(at, at + runs, {kRead, ready, 6});
    at += runs + 200;
  }
}

TEST(StoreTest, TellsTheSameOfTheLoopAsThePage) {
  TraceBuilder t;
  Serve(10, 5, &t);
  Viewed viewed(t);
  Page held(viewed.held);
  const int64_t span = held.head["span_ns"];
  Page asked = viewed.Window(0, span, 1);
  for (const char* column : {"begin", "length", "off", "thread"}) {
    EXPECT_EQ(asked.tables["slices"][column], held.tables["slices"][column])
        << column;
  }
  Page asking(viewed.columns);
  for (size_t i = 0; i < asked.tables["slices"]["blocker"].size(); ++i) {
    EXPECT_EQ(asking.head["blockers"][asked.tables["slices"]["blocker"][i]],
              held.head["blockers"][held.tables["slices"]["blocker"][i]]);
  }
  EXPECT_EQ(asked.tables["slices"]["length"], asked.tables["slices"]["busy"]);
  EXPECT_EQ(asked.head["windows"][0]["to_ns"], span);
  // Where one window touches the next, the file tells a length twice.
  std::set<std::pair<uint64_t, uint64_t>> lengths;
  for (size_t i = 0; i < asked.tables["queues"]["at"].size(); ++i) {
    lengths.emplace(asked.tables["queues"]["at"][i],
                    asked.tables["queues"]["length"][i]);
  }
  for (size_t i = 1; i < held.tables["queues"]["at"].size(); ++i) {
    if (held.tables["queues"]["length"][i] ==
        held.tables["queues"]["length"][i - 1]) {
      continue;
    }
    EXPECT_TRUE(lengths.contains(
        {held.tables["queues"]["at"][i], held.tables["queues"]["length"][i]}));
  }
}

// However wide the window: what ran in it is as much.
TEST(StoreTest, SumsOfTheLoopAreThoseOfItsSlices) {
  TraceBuilder t;
  Serve(5'000, 50, &t);
  Viewed viewed(t);
  Page held(viewed.held);
  const int64_t span = held.head["span_ns"];
  const auto busy = [](Page& page) {
    uint64_t sum = 0;
    for (const uint64_t ns : page.tables["slices"]["busy"]) sum += ns;
    return sum;
  };
  Page exact = viewed.Window(0, span, 1);
  for (const int64_t least : {int64_t{100}, int64_t{5'000}, span / 100, span}) {
    Page page = viewed.Window(0, span, least);
    EXPECT_EQ(busy(page), busy(exact)) << least;
    EXPECT_LE(page.tables["slices"]["busy"].size(),
              3 * static_cast<size_t>(span / least) + 3);
    uint64_t end = 0;
    uint64_t begin = 0;
    for (size_t i = 0; i < page.tables["slices"]["begin"].size(); ++i) {
      const uint64_t begins = page.tables["slices"]["begin"][i];
      EXPECT_TRUE(begins >= end || begins == begin);
      begin = begins;
      end = begins + page.tables["slices"]["length"][i];
      EXPECT_LE(page.tables["slices"]["busy"][i],
                page.tables["slices"]["length"][i]);
    }
  }
  // One that is long is told by itself.
  Page wide = viewed.Window(0, span, 10'000);
  EXPECT_GE(
      std::count_if(wide.tables["slices"]["length"].begin(),
                    wide.tables["slices"]["length"].end(),
                    [](uint64_t ns) { return ns > 19'000 && ns < 26'000; }),
      100);
}

// Of each request, by thread and id: its steps as text, with what blocked them.
// `names`: a page whose causes the numbers are.
using Paths = std::map<std::pair<uint64_t, uint64_t>, std::vector<std::string>>;
Paths PathsOf(Page& page, Page& names) {
  Paths paths;
  Table& steps = page.tables["steps"];
  Table& blocks = page.tables["step_blocks"];
  Table& requests = page.tables["requests"];
  size_t block = 0;
  for (size_t i = 0; i < steps["request"].size(); ++i) {
    std::string text;
    for (const auto& [name, column] : steps) {
      if (name != "request") {
        text += name + ' ' + std::to_string(column[i]) + ' ';
      }
    }
    std::map<std::string, uint64_t> behind;
    for (uint64_t left = steps["blocks"][i]; left > 0; --left, ++block) {
      const Json& cause = names.head["blockers"].at(blocks["blocker"][block]);
      behind[cause["what"]] += blocks["ns"][block];
    }
    for (const auto& [what, ns] : behind) {
      text += what + ' ' + std::to_string(ns) + ' ';
    }
    const uint64_t row = steps["request"][i];
    paths[{requests["thread"].at(row), requests["id"].at(row)}].push_back(text);
  }
  return paths;
}

void ExpectTheSame(const std::vector<std::string>& files) {
  constexpr size_t kMost = 1000;
  Viewed viewed(files, kMost);
  Page held(viewed.held);
  Page asking(viewed.columns);
  Page asked = viewed.Slowest({}, kMost);
  Table& requests = asked.tables["requests"];
  const size_t count = held.tables["requests"]["id"].size();
  ASSERT_EQ(requests["id"].size(), count);
  const Paths paths = PathsOf(held, held);
  EXPECT_EQ(paths.size(), count);
  EXPECT_EQ(PathsOf(asked, asking), paths);
  std::map<std::pair<uint64_t, uint64_t>, size_t> rows;
  for (size_t row = 0; row < count; ++row) {
    rows[{held.tables["requests"]["thread"][row],
          held.tables["requests"]["id"][row]}] = row;
  }
  for (size_t row = 0; row < count; ++row) {
    const std::pair key(requests["thread"][row], requests["id"][row]);
    const size_t there = rows.at(key);
    for (const auto& [name, column] : held.tables["requests"]) {
      // How long the queue was is of the page only, and so are functions; of
      // the rest the page names the largest causes.
      const bool less = name == "waiting" || name == "frames" ||
                        name == "blocks" || name == "waits";
      if (less) continue;
      EXPECT_EQ(requests[name].at(row), column[there]) << name;
    }
    Page single = viewed.Answer(viewed.store->Request(requests["number"][row]));
    EXPECT_EQ(PathsOf(single, asking), (Paths{*paths.find(key)}));
  }
  const auto none = viewed.store->Request(count);
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
}

TEST(StoreTest, TellsEveryRequestAsThePageDoes) {
  TraceBuilder t;
  Serve(300, 30, &t);
  ExpectTheSame({t.Bytes()});
}

TEST(StoreTest, TellsEveryRequestOfTracesOfAnyShape) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<std::string> files;
    for (uint32_t process = 1; process <= 2; ++process) {
      RandomTraceOptions options;
      options.seed = 2 * seed + process;
      options.faults = seed % 3 == 1;
      options.patched = seed % 3 == 2;
      options.process = process;
      files.push_back(RandomTraceGenerator(options).Run());
    }
    ExpectTheSame(files);
  }
}

// What a selection finds is what one finds who looks at every request.
TEST(StoreTest, ASelectionsRequestsAreTheSlowestOfIt) {
  TraceBuilder t;
  Serve(3'000, 30, &t);
  Viewed viewed(t, /*slowest=*/1'000);
  Page held(viewed.held);
  const Table& all = held.tables["requests"];
  const int64_t span = held.head["span_ns"];
  const auto check = [&](const RequestSelection& selection) {
    std::vector<uint64_t> latencies;
    for (size_t i = 0; i < all.at("id").size(); ++i) {
      const int64_t start = static_cast<int64_t>(all.at("start")[i]) * 1000;
      const uint64_t latency =
          all.at("io")[i] + all.at("queue")[i] + all.at("exec")[i];
      const bool chosen =
          selection.tail
              ? all.at("tail")[i] == 1
              : start >= selection.from_ns && start < selection.to_ns &&
                    static_cast<int64_t>(latency) >= selection.least_ns &&
                    static_cast<int64_t>(latency) <= selection.most_ns;
      if (chosen && (!selection.route || all.at("route")[i] == selection.route))
        latencies.push_back(latency);
    }
    std::sort(latencies.rbegin(), latencies.rend());
    if (latencies.size() > 40) latencies.resize(40);
    Page asked = viewed.Slowest(selection, 40);
    std::vector<uint64_t> found;
    Table& requests = asked.tables["requests"];
    for (size_t row = 0; row < requests["id"].size(); ++row) {
      found.push_back(requests["io"][row] + requests["queue"][row] +
                      requests["exec"][row]);
    }
    EXPECT_EQ(found, latencies);
    return found.size();
  };
  RequestSelection selection;
  EXPECT_EQ(check(selection), 40);
  selection.tail = true;
  EXPECT_GT(check(selection), 20);
  selection.tail = false;
  selection.from_ns = span / 3;
  selection.to_ns = span / 2;
  EXPECT_EQ(check(selection), 40);
  selection.most_ns = 1'003;
  EXPECT_EQ(check(selection), 40);
  selection.least_ns = 1'003;
  selection.route = 2;
  check(selection);
  selection = {};
  selection.route = 1'000;
  EXPECT_EQ(check(selection), 0);
}

// Whose a slice is may be known only long after it.
TEST(StoreTest, ARequestThatStaysOpenIsNamedInTheEnd) {
  TraceBuilder t;
  t.Start(100, 1);
  const uint64_t timer = t.Register();
  t.Event(100, 200, {kRead, 100, 5});
  t.Start(300, 2);
  t.End(390, 2, "GET /b");
  t.Event(300, 400, {kRead, 150, 6});
  t.End(990, 1, "GET /stream");
  t.Event(900, 1000, {EventType::kTimer, 900, timer});
  Viewed viewed(t);
  Page page(viewed.columns);
  Page asked = viewed.Window(0, page.head["span_ns"], 1);
  std::set<std::string> ran;
  for (const uint64_t blocker : asked.tables["slices"]["blocker"]) {
    ran.insert(page.head["blockers"].at(blocker)["what"]);
  }
  EXPECT_TRUE(ran.contains("GET /stream tcp_read"));
  EXPECT_TRUE(ran.contains("GET /b tcp_read"));
}

}  // namespace
}  // namespace edgewise
