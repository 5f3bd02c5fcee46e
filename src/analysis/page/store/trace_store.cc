#include "analysis/page/store/trace_store.h"

#include <algorithm>
#include <utility>

#include "analysis/page/container/container.h"

namespace edgewise {
namespace {

struct CauseTime {
  uint32_t cause;
  int64_t ns;
};

// Largest first.
std::vector<CauseTime> Sorted(
    const absl::flat_hash_map<uint32_t, int64_t>& sums) {
  std::vector<CauseTime> sorted;
  for (const auto& [cause, ns] : sums) sorted.push_back({cause, ns});
  std::sort(sorted.begin(), sorted.end(),
            [](const CauseTime& a, const CauseTime& b) {
              return a.ns != b.ns ? a.ns > b.ns : a.cause < b.cause;
            });
  return sorted;
}

// A table of what sums are made of, with a column of how many rows are each
// request's.
class SumTable {
 public:
  SumTable(const char* name, const char* what)
      : name_(name), counts_(name), rows_({what, "us", "ns"}) {}

  // The first one's time is what the sum leaves for it.
  void Add(const absl::flat_hash_map<uint32_t, int64_t>& sums) {
    constexpr uint64_t kUs = 1000;
    bool first = true;
    for (const CauseTime& part : Sorted(sums)) {
      const uint64_t ns = std::exchange(first, false) ? 0 : Whole(part.ns);
      rows_.Add({part.cause, ns / kUs, ns % kUs});
    }
    counts_.Push(sums.size());
  }
  void AddTo(PageContainer* page, std::vector<Column>* requests) const {
    rows_.AddTo(page, name_);
    requests->push_back(counts_);
  }

 private:
  const char* const name_;
  Column counts_;
  Rows<3> rows_;
};

void AddIfAny(uint32_t cause, int64_t ns,
              absl::flat_hash_map<uint32_t, int64_t>* sums) {
  if (ns > 0) (*sums)[cause] += ns;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceStore>> TraceStore::Create(
    std::span<const std::string> directories) {
  auto file = ScratchFile::Create(directories);
  if (!file.ok()) return file.status();
  return std::unique_ptr<TraceStore>(new TraceStore(*std::move(file)));
}

void TraceStore::Begin(CauseTable* causes) {
  using Kind = Blocker::Kind;
  slices_ = std::make_unique<SliceStore>(file_.get(), causes);
  causes_ = {
      causes->Intern({Kind::kJit, 0, 0}), causes->Intern({Kind::kIc, 0, 0}),
      causes->Intern({Kind::kLoop, 0, 0}), causes->Intern({Kind::kWake, 0, 0})};
}

void TraceStore::EndFile(BlameLedger* ledger) {
  slices_->EndFile(ledger);
  lengths_.EndFile();
  requests_.EndFile();
  ++lanes_;
}

absl::Status TraceStore::Finish(int64_t origin_ns, int64_t span_ns) {
  origin_ns_ = origin_ns;
  span_ns_ = span_ns;
  return file_->Flush();
}

absl::StatusOr<std::string> TraceStore::Window(int64_t from_ns, int64_t to_ns,
                                               int64_t least_ns) const {
  from_ns = std::clamp<int64_t>(from_ns, 0, span_ns_);
  to_ns = std::clamp<int64_t>(to_ns, from_ns, span_ns_);
  least_ns = std::max<int64_t>(1, least_ns);
  PageContainer page;
  page.head()["schema"] = 1;
  nlohmann::ordered_json& windows = page.head()["windows"];
  windows = nlohmann::ordered_json::array();
  Rows<7> slices(
      {"begin", "length", "thread", "blocker", "off", "count", "busy"});
  Rows<3> queues({"at", "thread", "length"});
  std::vector<SliceStore::Drawn> drawn;
  std::vector<StoredLength> line;
  for (size_t lane = 0; lane < lanes_; ++lane) {
    drawn.clear();
    line.clear();
    absl::Status status = slices_->Draw(lane, origin_ns_ + from_ns,
                                        origin_ns_ + to_ns, least_ns, &drawn);
    if (status.ok()) {
      status = lengths_.Draw(lane, origin_ns_ + from_ns, origin_ns_ + to_ns,
                             least_ns, &line);
    }
    if (!status.ok()) return status;
    windows.push_back(
        {{"from_ns", from_ns}, {"to_ns", to_ns}, {"thread", lane}});
    for (const SliceStore::Drawn& one : drawn) {
      const int64_t begin_ns = std::max(one.begin_ns, origin_ns_);
      slices.Add({Whole(begin_ns - origin_ns_), Whole(one.end_ns - begin_ns),
                  lane, one.cause, one.off, one.count, Whole(one.busy_ns)});
    }
    for (const StoredLength& one : line) {
      queues.Add({Whole(one.at_ns - origin_ns_), lane, one.waiting});
    }
  }
  slices.AddTo(&page, "slices");
  queues.AddTo(&page, "queues");
  return page.Bytes();
}

absl::StatusOr<std::string> TraceStore::Slowest(RequestSelection selection,
                                                size_t most) const {
  // Neither may leave what the clock can tell.
  const auto moment = [this](int64_t ns) {
    return ns > INT64_MAX - origin_ns_ ? INT64_MAX : origin_ns_ + ns;
  };
  selection.origin_ns = origin_ns_;
  selection.from_ns = moment(std::max<int64_t>(0, selection.from_ns));
  selection.to_ns = moment(std::max<int64_t>(0, selection.to_ns));
  auto found =
      requests_.Slowest(selection, std::clamp<size_t>(most, 1, kMostRequests));
  if (!found.ok()) return found.status();
  return Answer(*found);
}

absl::StatusOr<std::string> TraceStore::Request(uint64_t number) const {
  auto found = requests_.At(number);
  if (!found.ok()) return found.status();
  return Answer(std::span(&*found, 1));
}

// As the report charges what a request waited for.
absl::Status TraceStore::AddBlocking(size_t lane,
                                     const RequestStore::Span& span,
                                     CauseNs* causes) const {
  int64_t idle_ns = span.to_ns - span.from_ns;
  absl::Status status = slices_->ForEach(
      lane, span.from_ns, span.to_ns,
      [&](const StoredSlice& slice, uint32_t cause) {
        const int64_t ns = std::min(slice.end_ns, span.to_ns) -
                           std::max(slice.begin_ns, span.from_ns);
        const VmTimes vm = slice.vm.Share(ns, slice.end_ns - slice.begin_ns);
        idle_ns -= ns;
        AddIfAny(cause, ns - vm.jit_ns - vm.ic_ns, causes);
        AddIfAny(causes_.jit, vm.jit_ns, causes);
        AddIfAny(causes_.ic, vm.ic_ns, causes);
      });
  AddIfAny(span.loop_slept ? causes_.wake : causes_.loop, idle_ns, causes);
  return status;
}

absl::StatusOr<std::string> TraceStore::Answer(
    std::span<const RequestStore::Found> found) const {
  constexpr uint64_t kUs = 1000;
  std::vector<Column> requests;
  for (const char* name : RequestColumns::kNames) requests.emplace_back(name);
  for (const PartName& part : kPartNames) requests.emplace_back(part.name);
  Column numbers("number");
  Column frames("frames");  // There is none.
  SumTable blocks("blocks", "blocker");
  SumTable waits("waits", "dependency");
  StepTables steps(origin_ns_);
  for (uint32_t row = 0; row < found.size(); ++row) {
    auto whole = requests_.Read(found[row].request);
    if (!whole.ok()) return whole.status();
    auto& values = whole->values;
    auto& start = values[RequestColumns::kStart];
    start = Whole(static_cast<int64_t>(start) - origin_ns_) / kUs;
    for (size_t i = 0; i < values.size(); ++i) requests[i].Push(values[i]);
    numbers.Push(found[row].number);
    frames.Push(0);
    CauseNs blocked;
    CauseNs waited;
    for (const RequestStore::Step& step : whole->steps) {
      CauseNs causes;
      for (const RequestStore::Span& span : step.queued) {
        absl::Status status = AddBlocking(found[row].lane, span, &causes);
        if (!status.ok()) return status;
      }
      steps.AddStep(row, step.step, causes.size());
      for (const CauseTime& part : Sorted(causes)) {
        steps.AddBlock(part.cause, part.ns);
        blocked[part.cause] += part.ns;
      }
      AddIfAny(step.step.dependency, step.step.io_ns, &waited);
    }
    blocks.Add(blocked);
    waits.Add(waited);
  }
  PageContainer page;
  page.head()["schema"] = 1;
  requests.push_back(std::move(numbers));
  requests.push_back(std::move(frames));
  Rows<3>({"blocker", "node", "us"}).AddTo(&page, "frames");
  blocks.AddTo(&page, &requests);
  waits.AddTo(&page, &requests);
  page.AddTable("requests", requests);
  steps.AddTo(&page);
  return page.Bytes();
}

}  // namespace edgewise
