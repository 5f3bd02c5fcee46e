#include <algorithm>
#include <array>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "analysis/names.h"
#include "analysis/page/page_columns.h"
#include "analysis/request_json.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

uint64_t Whole(int64_t ns) {
  return ns > 0 ? static_cast<uint64_t>(ns) : uint64_t{0};
}

template <typename Number, typename Name>
Json NamesUpTo(Number last, Name&& name) {
  Json names = Json::array();
  for (size_t i = 0; i <= static_cast<size_t>(last); ++i) {
    names.push_back(name(static_cast<Number>(i)));
  }
  return names;
}

// A table that is filled row by row.
template <size_t kColumns>
class Rows {
 public:
  explicit Rows(const std::array<const char*, kColumns>& names) {
    for (const char* name : names) columns_.emplace_back(name);
  }
  // A row is in order of the first column, which holds differences.
  static Rows Rising(const std::array<const char*, kColumns>& names) {
    Rows rows(names);
    rows.columns_.front() = Column(names.front(), /*delta=*/true);
    return rows;
  }
  void Add(const std::array<uint64_t, kColumns>& values) {
    for (size_t i = 0; i < kColumns; ++i) columns_[i].Push(values[i]);
  }
  void AddTo(PageContainer* page, const char* name) const {
    page->AddTable(name, columns_);
  }

 private:
  std::vector<Column> columns_;
};

void AddSteps(std::span<const std::optional<RequestDetail>> details,
              std::span<const uint32_t> row_of, int64_t begin_ns,
              CauseTable* causes, PageContainer* page) {
  Rows<11> steps({"request", "type", "ready_kind", "dependency", "flags",
                  "begin", "io", "queue", "exec", "gc", "blocks"});
  Rows<2> blocks({"blocker", "ns"});
  for (const auto& detail : details) {
    if (!detail.has_value() || !detail->row.has_value()) continue;
    for (const DetailStep& step : detail->path) {
      const bool waits = step.io_ns > 0;
      steps.Add({row_of[*detail->row], static_cast<uint64_t>(step.type),
                 static_cast<uint64_t>(step.ready_kind),
                 waits ? step.dependency + uint64_t{1} : 0,
                 static_cast<uint64_t>(step.inferred) |
                     static_cast<uint64_t>(step.slice) << 1,
                 Whole(step.begin_ns - begin_ns), Whole(step.io_ns),
                 Whole(step.queue_ns), Whole(step.exec_ns), Whole(step.gc_ns),
                 step.blocked_by.size()});
      for (const BlockedBy& by : step.blocked_by) {
        blocks.Add(
            {causes->Intern({by.kind, by.route, by.type}), Whole(by.ns)});
      }
    }
  }
  steps.AddTo(page, "steps");
  blocks.AddTo(page, "step_blocks");
}

Json BlockerJson(const CauseTable::Cause& cause, const RouteTable& routes) {
  if (!cause.told) return {{"what", "(not told)"}, {"kind", "untold"}};
  if (cause == CauseTable::Own())
    return {{"what", "(itself)"}, {"kind", "own"}};
  return CauseJson(cause.kind, cause.route, cause.type, routes);
}

// A table of some rows for each request, in the order of those, and how many
// each has.
template <size_t kColumns>
class OfRequests {
 public:
  OfRequests(const char* name, std::span<const RowSums::Entry> entries,
             size_t requests)
      : name_(name), entries_(entries), counts_(name), begins_(requests) {
    size_t next = 0;
    for (size_t request = 0; request < requests; ++request) {
      begins_[request] = next;
      while (next < entries.size() && entries[next].row == request) ++next;
      counts_.Push(next - begins_[request]);
    }
  }

  const Column& counts() const { return counts_; }

  // values(entry): of a row's columns.
  template <typename Values>
  void AddTo(PageContainer* page, std::span<const uint32_t> order,
             const std::array<const char*, kColumns>& columns,
             Values&& values) const {
    Rows<kColumns> rows(columns);
    for (const uint32_t request : order) {
      for (const RowSums::Entry& entry :
           entries_.subspan(begins_[request], counts_.At(request))) {
        rows.Add(values(entry));
      }
    }
    rows.AddTo(page, name_);
  }

 private:
  const char* name_;
  std::span<const RowSums::Entry> entries_;
  Column counts_;
  std::vector<size_t> begins_;
};

}  // namespace

std::vector<uint32_t> PageColumns::RowsByStart() const {
  std::vector<uint32_t> rows(columns_[kStart].size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [this](uint32_t a, uint32_t b) {
    return columns_[kStart].At(a) < columns_[kStart].At(b);
  });
  return rows;
}

void PageColumns::AddRequests(std::span<const uint32_t> order, int64_t begin_ns,
                              PageContainer* page) const {
  Column start("start", /*delta=*/true);
  for (const uint32_t row : order) {
    start.Push(columns_[kStart].At(row) - static_cast<uint64_t>(begin_ns));
  }
  std::vector<Column> requests = {std::move(start)};
  for (size_t i = kStart + 1; i < columns_.size(); ++i) {
    requests.push_back(columns_[i].In(order));
  }
  const std::vector<RowSums::Entry> block_sums = blocks_.sums().Sorted();
  const std::vector<RowSums::Entry> wait_sums = waits_.Sorted();
  const std::vector<RowSums::Entry> frame_sums = blocks_.frames().Sorted();
  const OfRequests<2> blocks("blocks", block_sums, order.size());
  const OfRequests<2> waits("waits", wait_sums, order.size());
  const OfRequests<3> frames("frames", frame_sums, order.size());
  for (const Column* counts :
       {&blocks.counts(), &waits.counts(), &frames.counts()}) {
    requests.push_back(counts->In(order));
  }
  page->AddTable("requests", requests);
  using Entry = RowSums::Entry;
  blocks.AddTo(page, order, {"blocker", "ns"}, [&](const Entry& entry) {
    return std::array<uint64_t, 2>{blocks_.sums().At(entry.what).cause,
                                   Whole(entry.ns)};
  });
  waits.AddTo(page, order, {"dependency", "ns"}, [](const Entry& entry) {
    return std::array<uint64_t, 2>{entry.what, Whole(entry.ns)};
  });
  frames.AddTo(page, order, {"blocker", "node", "ns"}, [&](const Entry& entry) {
    const CauseSums::Cell& cell = blocks_.frames().At(entry.what);
    return std::array<uint64_t, 3>{cell.cause, cell.frame, Whole(entry.ns)};
  });
}

void PageColumns::AddLoops(int64_t begin_ns, PageContainer* page) const {
  const int64_t width_ns = bins_.width_ns();
  const int64_t first = begin_ns / width_ns;
  page->head()["bin_ns"] = width_ns;
  page->head()["bin_offset_ns"] = begin_ns - first * width_ns;
  auto bins = Rows<1 + TimeBins::kKinds>::Rising(
      {"bin", "busy", "minor_gc", "major_gc", "preempted", "throttled", "fault",
       "blocked"});
  for (const auto& [number, ns] : bins_.bins()) {
    if (number < first) continue;
    std::array<uint64_t, 1 + TimeBins::kKinds> row = {Whole(number - first)};
    std::transform(ns.begin(), ns.end(), row.begin() + 1, Whole);
    bins.Add(row);
  }
  bins.AddTo(page, "bins");

  page->head()["windows"] = Json::array();
  for (const LoopWindows::Window& window : windows_.windows()) {
    page->head()["windows"].push_back(
        {{"from_ns", std::max<int64_t>(0, window.from_ns - begin_ns)},
         {"to_ns", std::max<int64_t>(0, window.to_ns - begin_ns)},
         {"thread", window.thread}});
  }
  const auto by_time = [](const auto& a, const auto& b) {
    return a.begin_ns < b.begin_ns;
  };
  std::vector<LoopWindows::Slice> ran = windows_.slices();
  std::stable_sort(ran.begin(), ran.end(), by_time);
  auto slices =
      Rows<5>::Rising({"begin", "length", "thread", "blocker", "off"});
  for (const LoopWindows::Slice& slice : ran) {
    slices.Add({Whole(slice.begin_ns - begin_ns),
                Whole(slice.end_ns - slice.begin_ns), slice.thread, slice.cause,
                slice.off});
  }
  slices.AddTo(page, "slices");
  std::vector<LoopWindows::Length> lengths = windows_.lengths();
  std::stable_sort(
      lengths.begin(), lengths.end(),
      [](const LoopWindows::Length& a, const LoopWindows::Length& b) {
        return a.at_ns < b.at_ns;
      });
  auto queues = Rows<3>::Rising({"at", "thread", "length"});
  for (const LoopWindows::Length& length : lengths) {
    queues.Add({Whole(length.at_ns - begin_ns), length.thread, length.waiting});
  }
  queues.AddTo(page, "queues");
}

void PageColumns::AddNames(const Names& names, PageContainer* page) const {
  Json& head = page->head();
  head["routes"] = Json::array();
  for (uint32_t i = 0; i < names.routes->size(); ++i) {
    head["routes"].push_back(names.routes->Text(i));
  }
  head["dependencies"] = Json::array();
  for (uint32_t i = 0; i < names.dependencies->size(); ++i) {
    const Dependency& one = names.dependencies->At(i);
    head["dependencies"].push_back(
        {{"what", one.what()},
         {"kind", one.kind},
         {"peer", one.peer.empty() ? Json(nullptr) : Json(one.peer)}});
  }
  head["blockers"] = Json::array();
  for (const CauseTable::Cause& cause : causes_.causes()) {
    head["blockers"].push_back(BlockerJson(cause, *names.routes));
  }
  head["threads"] = Json::array();
  for (const Thread& thread : threads_) {
    Json json = {{"process", thread.process}, {"thread", thread.thread}};
    if (!thread.identity.empty()) json["identity"] = thread.identity;
    head["threads"].push_back(std::move(json));
  }
  head["event_types"] = NamesUpTo(EventType::kMaxValue, EventTypeName);
  head["ready_kinds"] = NamesUpTo(ReadyKind::kMaxValue, ReadyKindName);
  head["outcomes"] = NamesUpTo(Outcome::kMaxValue, OutcomeName);
  head["request_kinds"] = NamesUpTo(RequestKind::kMaxValue, RequestKindName);
  head["off_cpu"] = names.off_cpu;
  head["vm_times"] = names.vm_times;
  head["limits"] = Json::array();
  if (columns_[kStart].size() < added_) {
    head["limits"].push_back(absl::StrCat(
        "of ", added_,
        " requests the slowest are told one by one, the others "
        "in ",
        shared_.size(), " groups of about the same time and latency"));
  }
  if (blocks_.untold_ns() > 0) {
    head["limits"].push_back(
        absl::StrCat("what occupied the loop is not told for ",
                     blocks_.untold_ns() / 1'000'000, " ms of queueing"));
  }
  if (blocks_.without_frames() > 0) {
    head["limits"].push_back(absl::StrCat("functions are not told for ",
                                          blocks_.without_frames(),
                                          " requests: there is no room"));
  }
  if (windows_.left_out() > 0) {
    head["limits"].push_back(absl::StrCat("the loop is not shown around ",
                                          windows_.left_out(),
                                          " requests more: there is no room"));
  }
}

std::string PageColumns::Encode(
    const Names& names, std::span<const std::optional<RequestDetail>> details) {
  const std::vector<uint32_t> order = RowsByStart();
  int64_t begin_ns = plan_.begin_ns;
  if (!order.empty()) {
    begin_ns = std::min(
        begin_ns, static_cast<int64_t>(columns_[kStart].At(order.front())));
  }
  std::vector<uint32_t> row_of(order.size());
  for (uint32_t row = 0; row < order.size(); ++row) row_of[order[row]] = row;

  PageContainer page;
  page.head()["schema"] = 1;
  page.head()["start_ns"] = begin_ns;
  page.head()["span_ns"] = plan_.begin_ns + plan_.span_ns - begin_ns;
  AddRequests(order, begin_ns, &page);
  AddLoops(begin_ns, &page);
  AddSteps(details, row_of, begin_ns, &causes_, &page);
  AddNames(names, &page);
  return page.Bytes();
}

}  // namespace edgewise
