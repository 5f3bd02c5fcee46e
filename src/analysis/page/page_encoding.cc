#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "analysis/page/container/rows.h"
#include "analysis/page/page_columns.h"
#include "analysis/page/step_tables.h"
#include "analysis/requests/request_json.h"
#include "trace/names.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

// To the nearest that eight bits and a power of two can tell.
uint64_t Rounded(uint64_t number) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(number)) - 8);
  return (number + (uint64_t{1} << shift >> 1)) >> shift << shift;
}

template <typename Number, typename Name>
Json NamesUpTo(Number last, Name&& name) {
  Json names = Json::array();
  for (size_t i = 0; i <= static_cast<size_t>(last); ++i) {
    names.push_back(name(static_cast<Number>(i)));
  }
  return names;
}

void AddSteps(std::span<const std::optional<RequestDetail>> details,
              std::span<const uint32_t> row_of, int64_t begin_ns,
              CauseTable* causes, PageContainer* page) {
  StepTables steps(begin_ns);
  for (const auto& detail : details) {
    if (!detail.has_value() || !detail->row.has_value()) continue;
    for (const DetailStep& step : detail->path) {
      steps.AddStep(row_of[*detail->row], step, step.blocked_by.size());
      for (const BlockedBy& by : step.blocked_by) {
        steps.AddBlock(causes->Intern({by.kind, by.route, by.type}), by.ns);
      }
    }
  }
  steps.AddTo(page);
}

Json BlockerJson(const CauseTable::Cause& cause, const RouteTable& routes) {
  switch (cause.name) {
    case CauseTable::Name::kUntold:
      return {{"what", "(not told)"}, {"kind", "untold"}};
    case CauseTable::Name::kOwn:
      return {{"what", "(itself)"}, {"kind", "own"}};
    case CauseTable::Name::kOthers:
      return {{"what", "(others)"}, {"kind", "others"}};
    case CauseTable::Name::kOfKind:
      break;
  }
  return CauseJson(cause.kind, cause.route, cause.type, routes);
}

// Of each request's rows of another table, where they begin.
std::vector<size_t> BeginsOf(std::span<const RowSums::Entry> entries,
                             size_t requests) {
  std::vector<size_t> begins(requests + 1);
  size_t next = 0;
  for (size_t request = 0; request < requests; ++request) {
    begins[request] = next;
    while (next < entries.size() && entries[next].row == request) ++next;
  }
  begins[requests] = next;
  return begins;
}

}  // namespace

// What of a request's causes is told.
struct PageColumns::Most {
  size_t causes;  // the largest; the others are one
  bool to_the_ns;
};

PageColumns::Most PageColumns::MostOf(uint32_t row) const {
  if (columns_[kTail].At(row) != 0) return {SIZE_MAX, true};
  return {columns_[kCount].At(row) == 1 ? size_t{3} : size_t{8}, false};
}

// The first of a request's rows is what its sum leaves for it.
template <typename Number>
Column PageColumns::AddCauses(const char* table, const char* what,
                              std::span<const RowSums::Entry> entries,
                              std::span<const uint32_t> order, uint64_t others,
                              Number&& number, PageContainer* page) const {
  constexpr uint64_t kUs = 1000;
  const std::vector<size_t> begins = BeginsOf(entries, order.size());
  Column counts(table);
  Rows<3> rows({what, "us", "ns"});
  for (const uint32_t row : order) {
    const auto own =
        entries.subspan(begins[row], begins[row + 1] - begins[row]);
    const Most most = MostOf(row);
    int64_t left_ns = 0;
    for (size_t i = 0; i < own.size(); ++i) {
      if (i >= most.causes) {
        left_ns += own[i].ns;
        continue;
      }
      const uint64_t ns = i == 0 ? 0 : Whole(own[i].ns);
      rows.Add({number(own[i].what),
                most.to_the_ns ? ns / kUs : Rounded(ns / kUs),
                most.to_the_ns ? ns % kUs : 0});
    }
    if (left_ns > 0) rows.Add({others, Rounded(Whole(left_ns) / kUs), 0});
    counts.Push(std::min(own.size(), most.causes) + (left_ns > 0 ? 1 : 0));
  }
  rows.AddTo(page, table);
  return counts;
}

std::vector<uint32_t> PageColumns::RowsByStart() const {
  std::vector<uint32_t> rows(columns_[kStart].size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [this](uint32_t a, uint32_t b) {
    return columns_[kStart].At(a) < columns_[kStart].At(b);
  });
  return rows;
}

void PageColumns::AddRequests(std::span<const uint32_t> order, int64_t begin_ns,
                              const Names& names, PageContainer* page) {
  constexpr uint64_t kUs = 1000;
  Column start("start", /*delta=*/true);
  for (const uint32_t row : order) {
    start.Push((columns_[kStart].At(row) - static_cast<uint64_t>(begin_ns)) /
               kUs);
  }
  std::vector<Column> requests = {std::move(start)};
  for (size_t i = kStart + 1; i < columns_.size(); ++i) {
    requests.push_back(columns_[i].In(order));
  }
  const CauseSums& sums = blocks_.sums();
  requests.push_back(AddCauses(
      "blocks", "blocker", sums.Sorted(), order,
      causes_.Intern(CauseTable::Named(CauseTable::Name::kOthers)),
      [&](uint32_t block) { return sums.At(block).cause; }, page));
  requests.push_back(AddCauses(
      "waits", "dependency", waits_.Sorted(), order, names.dependencies->size(),
      [](uint32_t dependency) { return dependency; }, page));
  const std::vector<RowSums::Entry> entries = blocks_.frames().Sorted();
  const std::vector<size_t> begins = BeginsOf(entries, order.size());
  Column counts("frames");
  Rows<3> frames({"blocker", "node", "us"});
  for (const uint32_t row : order) {
    counts.Push(begins[row + 1] - begins[row]);
    for (size_t i = begins[row]; i < begins[row + 1]; ++i) {
      const CauseSums::Cell& cell = blocks_.frames().At(entries[i].what);
      frames.Add({cell.cause, cell.frame, Whole(entries[i].ns) / kUs});
    }
  }
  frames.AddTo(page, "frames");
  requests.push_back(std::move(counts));
  page->AddTable("requests", requests);
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
  head["dependencies"].push_back(
      {{"what", "(others)"}, {"kind", "others"}, {"peer", nullptr}});
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

absl::StatusOr<std::string> PageColumns::Encode(
    const Names& names, std::span<const std::optional<RequestDetail>> details) {
  const std::vector<uint32_t> order = RowsByStart();
  int64_t begin_ns = plan_.begin_ns;
  if (!order.empty()) {
    begin_ns = std::min(
        begin_ns, static_cast<int64_t>(columns_[kStart].At(order.front())));
  }
  const int64_t span_ns = plan_.begin_ns + plan_.span_ns - begin_ns;
  std::vector<uint32_t> row_of(order.size());
  for (uint32_t row = 0; row < order.size(); ++row) row_of[order[row]] = row;
  if (plan_.store != nullptr && status_.ok()) {
    status_ = plan_.store->Finish(begin_ns, span_ns);
  }
  if (!status_.ok()) return status_;

  PageContainer page;
  page.head()["schema"] = 1;
  page.head()["start_ns"] = begin_ns;
  page.head()["span_ns"] = span_ns;
  AddRequests(order, begin_ns, names, &page);
  AddLoops(begin_ns, &page);
  AddSteps(details, row_of, begin_ns, &causes_, &page);
  AddNames(names, &page);
  return page.Bytes();
}

}  // namespace edgewise
