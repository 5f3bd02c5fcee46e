// The columns of a page say of each request what the report says of all.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/page/container/column.h"
#include "test/native/analysis/report_kit.h"

namespace edgewise {
namespace {

constexpr auto kRead = EventType::kTcpRead;
constexpr auto kFs = EventType::kFsRead;

using Table = std::map<std::string, std::vector<uint64_t>>;

// What docs/page-data.md says of the container.
class Page {
 public:
  explicit Page(const std::string& bytes) : bytes_(bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "EWPG");
    size_t length = 0;
    for (int i = 0; i < 4; ++i) {
      length |= static_cast<size_t>(static_cast<uint8_t>(bytes[4 + i]))
                << (8 * i);
    }
    head = Json::parse(bytes.substr(8, length));
    next_ = 8 + length;
    for (const auto& [name, table] : head["tables"].items()) {
      for (const Json& column : table["columns"]) {
        tables[name][column["name"]] = Read(table["rows"], column);
      }
    }
    EXPECT_EQ(next_, bytes.size());
  }

  Json head;
  std::map<std::string, Table> tables;

 private:
  std::vector<uint64_t> Read(size_t rows, const Json& column) {
    std::vector<uint64_t> values(rows);
    for (int plane = 0; plane < column["planes"]; ++plane) {
      for (uint64_t& value : values) {
        value |= uint64_t{static_cast<uint8_t>(bytes_.at(next_++))}
                 << (8 * plane);
      }
    }
    if (column.value("delta", false)) {
      uint64_t sum = 0;
      for (uint64_t& value : values) value = sum += value;
    }
    return values;
  }
  const std::string& bytes_;
  size_t next_ = 0;
};

TEST(ColumnTest, HoldsAsManyPlanesAsItsNumbersNeed) {
  Column column("a", /*delta=*/true);
  for (const uint64_t value : {0, 0, 300, 301, 70000}) column.Push(value);
  std::string bytes;
  EXPECT_EQ(column.AppendPlanes(&bytes), 3);
  EXPECT_EQ(bytes.size(), 15);
  const std::vector<uint32_t> order = {4, 0, 2};
  const Column sorted = column.In(order);
  EXPECT_EQ(sorted.At(0), 70000);
  EXPECT_EQ(sorted.At(1), 0);
  EXPECT_EQ(sorted.At(2), 300);

  Column zeros("b");
  zeros.Push(0);
  zeros.Push(0);
  EXPECT_EQ(zeros.AppendPlanes(&bytes), 0);
  EXPECT_EQ(zeros.In(std::vector<uint32_t>{1, 0}).size(), 2);
  EXPECT_EQ(zeros.At(1), 0);
}

TEST(PageTest, EachRequestsPartsAreThoseOfTheReport) {
  TraceBuilder t;
  t.Start(100, 1);
  const uint64_t id = t.Register();
  t.Event(100, 200, {kRead, 100, 5});
  t.Start(300, 2);
  t.Gc(GcType::kScavenge, 350, 450);
  t.End(900, 2, "GET /slow");
  t.Event(300, 1000, {kRead, 290, 6});
  t.End(1250, 1, "GET /waits");
  t.Event(1200, 1300, {kFs, 250, id});
  std::string columns;
  ReportOptions options;
  options.columns = &columns;
  const Json report = ReportOf(t, options);
  Page page(columns);
  Table& requests = page.tables["requests"];
  ASSERT_EQ(requests["latency"].size(), 2);
  // By when they came: request 1 first.
  EXPECT_EQ(requests["id"], (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(requests["start"][1] - requests["start"][0], 190);
  EXPECT_EQ(requests["latency"][0], report["slowest"][0]["latency_ns"]);
  EXPECT_EQ(requests["queue"][0], report["slowest"][0]["queue_ns"]);
  EXPECT_EQ(requests["io"][0], report["slowest"][0]["io_ns"]);
  EXPECT_EQ(requests["queue_gc"][0], 100);
  EXPECT_EQ(requests["exec_gc"][1], 100);
  EXPECT_EQ(page.head["routes"][requests["route"][0]], "GET /waits");

  // What it queued behind, and what it waited for, are all of it.
  size_t block = 0;
  size_t wait = 0;
  std::map<std::string, uint64_t> behind;
  for (size_t row = 0; row < 2; ++row) {
    uint64_t queue = 0;
    for (uint64_t i = 0; i < requests["blocks"][row]; ++i, ++block) {
      const uint64_t ns = page.tables["blocks"]["ns"][block];
      const Json& by =
          page.head["blockers"][page.tables["blocks"]["blocker"][block]];
      behind[by["what"]] += ns;
      queue += ns;
    }
    EXPECT_EQ(queue, requests["queue"][row]);
    uint64_t io = 0;
    for (uint64_t i = 0; i < requests["waits"][row]; ++i, ++wait) {
      io += page.tables["waits"]["ns"][wait];
    }
    EXPECT_EQ(io, requests["io"][row]);
  }
  for (const Json& blocker : report["blockers"]) {
    EXPECT_GE(behind[blocker["what"]], blocker["queue_ns"].get<uint64_t>())
        << blocker;
  }
  // Both paths are told in steps, the slower request's first.
  Table& steps = page.tables["steps"];
  EXPECT_EQ(steps["request"].front(), 0);
  uint64_t sum = 0;
  for (size_t i = 0; i < steps["request"].size(); ++i) {
    if (steps["request"][i] == 0) {
      sum += steps["io"][i] + steps["queue"][i] + steps["exec"][i];
    }
  }
  EXPECT_EQ(sum, requests["latency"][0]);
}

TEST(PageTest, AQueuesLengthIsOfThoseThatWaitedThen) {
  TraceBuilder t;
  // Three that come while the first runs.
  t.Start(100, 1);
  t.End(900, 1, "GET /a");
  t.Event(100, 1000, {kRead, 100, 5});
  for (uint32_t i = 0; i < 3; ++i) {
    const int64_t begin = 1000 + 100 * i;
    t.Start(begin, 2 + i);
    t.End(begin + 90, 2 + i, "GET /b");
    t.Event(begin, begin + 100, {kRead, 200 + 10 * i, 6});
  }
  std::string columns;
  ReportOptions options;
  options.columns = &columns;
  ReportOf(t, options);
  Page page(columns);
  EXPECT_EQ(page.tables["requests"]["waiting"],
            (std::vector<uint64_t>{0, 0, 1, 2}));
}

}  // namespace
}  // namespace edgewise
