#include "analysis/page/store/request_store.h"

#include <algorithm>
#include <queue>

#include "absl/strings/str_cat.h"
#include "analysis/page/store/bytes.h"

namespace edgewise {
namespace {

constexpr int64_t kUs = 1000;

// Slower is earlier; then who came first, then who was added first.
bool IsBefore(const RequestStore::Found& a, const RequestStore::Found& b) {
  if (a.request.latency_ns != b.request.latency_ns) {
    return a.request.latency_ns > b.request.latency_ns;
  }
  return a.request.start_ns != b.request.start_ns
             ? a.request.start_ns < b.request.start_ns
             : a.number < b.number;
}

}  // namespace

StoredRequestKind::Totals StoredRequestKind::Sum(
    std::span<const Totals> parts) {
  Totals totals{INT64_MAX, 0, 0, 0};
  for (const Totals& part : parts) {
    totals.least_ns = std::min(totals.least_ns, part.least_ns);
    totals.most_ns = std::max(totals.most_ns, part.most_ns);
    totals.routes |= part.routes;
    totals.tails += part.tails;
  }
  return totals;
}

void StoredRequestKind::Encode(std::span<const Record> requests,
                               std::string* bytes) {
  Record last{};
  for (const Record& request : requests) {
    PutSigned(request.start_ns - last.start_ns, bytes);
    PutSigned(request.latency_ns, bytes);
    PutNumber(uint64_t{request.route} * 2 + (request.tail ? 1 : 0), bytes);
    PutNumber(request.at - last.at, bytes);
    PutNumber(request.bytes, bytes);
    last = request;
  }
}

void StoredRequestKind::Decode(std::string_view bytes, size_t count,
                               std::vector<Record>* requests) {
  NumberReader reader(bytes);
  Record last{};
  for (size_t i = 0; i < count; ++i) {
    last.start_ns += reader.NextSigned();
    last.latency_ns = reader.NextSigned();
    const uint64_t what = reader.Next();
    last.route = static_cast<uint32_t>(what / 2);
    last.tail = what % 2 == 1;
    last.at += reader.Next();
    last.bytes = static_cast<uint32_t>(reader.Next());
    requests->push_back(last);
  }
}

bool RequestSelection::Has(const StoredRequest& request) const {
  if (route.has_value() && request.route != *route) return false;
  if (tail) return request.tail;
  const int64_t start_ns =
      origin_ns + (request.start_ns - origin_ns) / kUs * kUs;
  return start_ns >= from_ns && start_ns < to_ns &&
         request.latency_ns >= least_ns && request.latency_ns <= most_ns;
}

namespace {

// A path without gap or overlap, as most are: each step begins when what came
// before it has taken its time. So little is left to tell.
class Course {
 public:
  explicit Course(int64_t start_ns) : at_ns_(start_ns) {}

  int64_t Expected(const DetailStep& step) const {
    return at_ns_ + step.io_ns + step.queue_ns;
  }
  void Pass(const DetailStep& step) { at_ns_ = step.begin_ns + step.exec_ns; }

 private:
  int64_t at_ns_;
};

void Put(const DetailStep& step, std::span<const QueueSpan> spans,
         Course* course, std::string* bytes) {
  PutNumber(1 + static_cast<uint64_t>(step.type), bytes);
  PutNumber(static_cast<uint64_t>(step.ready_kind) * 4 +
                (step.inferred ? 2 : 0) + (step.slice ? 1 : 0),
            bytes);
  PutNumber(step.dependency, bytes);
  for (const int64_t ns : {step.io_ns, step.queue_ns, step.exec_ns, step.gc_ns,
                           step.begin_ns - course->Expected(step)}) {
    PutSigned(ns, bytes);
  }
  PutNumber(spans.size(), bytes);
  for (const QueueSpan& span : spans) {
    PutSigned((step.begin_ns - span.to_ns) * 2 + (span.loop_slept ? 1 : 0),
              bytes);
    PutSigned(span.to_ns - span.from_ns - step.queue_ns, bytes);
  }
  course->Pass(step);
}

RequestStore::Step StepOf(uint64_t type, NumberReader* reader, Course* course) {
  RequestStore::Step stored;
  DetailStep& step = stored.step;
  step.type = static_cast<EventType>(type - 1);
  const uint64_t kinds = reader->Next();
  step.ready_kind = static_cast<ReadyKind>(kinds / 4);
  step.inferred = (kinds & 2) != 0;
  step.slice = (kinds & 1) != 0;
  step.dependency = static_cast<uint32_t>(reader->Next());
  for (int64_t* ns :
       {&step.io_ns, &step.queue_ns, &step.exec_ns, &step.gc_ns}) {
    *ns = reader->NextSigned();
  }
  step.begin_ns = course->Expected(step) + reader->NextSigned();
  stored.queued.resize(reader->Next());
  for (RequestStore::Span& span : stored.queued) {
    const int64_t what = reader->NextSigned();
    span.loop_slept = (what & 1) != 0;
    span.to_ns = step.begin_ns - (what >> 1);
    span.from_ns = span.to_ns - step.queue_ns - reader->NextSigned();
  }
  course->Pass(step);
  return stored;
}

}  // namespace

void RequestStore::Add(const RequestColumns::Values& values,
                       const EndedRequest& request) {
  bytes_.clear();
  for (const uint64_t value : values) PutNumber(value, &bytes_);
  Course course(request.graph.ready_ns);
  ForEachDetailStep(
      request, [&](const DetailStep& step, uint32_t first, uint32_t end) {
        Put(step, std::span(request.path.spans).subspan(first, end - first),
            &course, &bytes_);
      });
  StoredRequest stored{};
  stored.start_ns = request.graph.ready_ns;
  stored.latency_ns = request.latency_ns();
  stored.route = request.route;
  stored.tail = values[RequestColumns::kTail] != 0;
  stored.at = file_->Append(bytes_);
  stored.bytes = static_cast<uint32_t>(bytes_.size());
  requests_.Push(stored);
}

absl::StatusOr<RequestStore::Whole> RequestStore::Read(
    const StoredRequest& request) const {
  std::string bytes(request.bytes, '\0');
  absl::Status status = file_->Read(request.at, bytes.size(), bytes.data());
  if (!status.ok()) return status;
  NumberReader reader(bytes);
  Whole whole;
  for (uint64_t& value : whole.values) value = reader.Next();
  Course course(request.start_ns);
  while (const uint64_t type = reader.Next()) {
    whole.steps.push_back(StepOf(type, &reader, &course));
  }
  return whole;
}

namespace {

// Looks below the node first that may hold the slowest request, until none can
// hold a slower one than those that were found.
class SlowestSearch {
 public:
  using Index = Pyramid<StoredRequestKind>;
  SlowestSearch(const Index& index, const RequestSelection& selection,
                size_t most)
      : index_(index), selection_(selection), most_(most) {}

  // `number`: of the node's first request.
  void Add(const Index::Node& node, size_t lane, uint64_t number) {
    if (!MayHold(node)) return;
    const int64_t slowest_ns =
        selection_.tail ? node.totals.most_ns
                        : std::min(node.totals.most_ns, selection_.most_ns);
    open_.push({slowest_ns, node, lane, number});
  }

  absl::StatusOr<std::vector<RequestStore::Found>> Run() && {
    while (!open_.empty()) {
      const Open next = open_.top();
      open_.pop();
      if (IsFull() && next.slowest_ns < found_.front().request.latency_ns) {
        break;
      }
      absl::Status status = Look(next);
      if (!status.ok()) return status;
    }
    std::sort_heap(found_.begin(), found_.end(), IsBefore);
    return std::move(found_);
  }

 private:
  struct Open {
    int64_t slowest_ns;  // nothing below it is slower
    Index::Node node;
    size_t lane;
    uint64_t number;
    bool operator<(const Open& other) const {
      return slowest_ns < other.slowest_ns;
    }
  };

  bool IsFull() const { return found_.size() == most_; }

  bool MayHold(const Index::Node& node) const {
    const StoredRequestKind::Totals& totals = node.totals;
    if (selection_.route.has_value() &&
        (totals.routes & StoredRequestKind::BitOf(*selection_.route)) == 0) {
      return false;
    }
    if (selection_.tail) return totals.tails > 0;
    return node.begin_ns - kUs < selection_.to_ns &&
           node.end_ns >= selection_.from_ns &&
           totals.most_ns >= selection_.least_ns &&
           totals.least_ns <= selection_.most_ns;
  }

  absl::Status Look(const Open& open) {
    uint64_t number = open.number;
    if (open.node.level > 0) {
      absl::Status status = index_.Children(open.node, &children_);
      for (const Index::Node& child : children_) {
        if (status.ok()) Add(child, open.lane, number);
        number += child.count;
      }
      return status;
    }
    absl::Status status = index_.Records(open.node, &requests_);
    for (const StoredRequest& request : requests_) {
      Take({number++, open.lane, request});
    }
    return status;
  }

  void Take(const RequestStore::Found& one) {
    if (!selection_.Has(one.request)) return;
    if (IsFull() && !IsBefore(one, found_.front())) return;
    found_.push_back(one);
    std::push_heap(found_.begin(), found_.end(), IsBefore);
    if (found_.size() <= most_) return;
    std::pop_heap(found_.begin(), found_.end(), IsBefore);
    found_.pop_back();
  }

  const Index& index_;
  const RequestSelection& selection_;
  const size_t most_;
  std::priority_queue<Open> open_;
  std::vector<RequestStore::Found> found_;  // a heap: the fastest is its front
  std::vector<StoredRequest> requests_;
  std::vector<Index::Node> children_;
};

}  // namespace

absl::StatusOr<std::vector<RequestStore::Found>> RequestStore::Slowest(
    const RequestSelection& selection, size_t most) const {
  SlowestSearch search(requests_, selection, most);
  uint64_t number = 0;
  for (size_t lane = 0; lane < requests_.roots().size(); ++lane) {
    const auto& root = requests_.roots()[lane];
    if (!root.has_value()) continue;
    search.Add(*root, lane, number);
    number += root->count;
  }
  return std::move(search).Run();
}

absl::StatusOr<RequestStore::Found> RequestStore::At(uint64_t number) const {
  uint64_t first = 0;
  for (size_t lane = 0; lane < requests_.roots().size(); ++lane) {
    if (!requests_.roots()[lane].has_value()) continue;
    Index::Node node = *requests_.roots()[lane];
    if (number >= first + node.count) {
      first += node.count;
      continue;
    }
    std::vector<Index::Node> children;
    while (node.level > 0) {
      absl::Status status = requests_.Children(node, &children);
      if (!status.ok()) return status;
      for (const Index::Node& child : children) {
        node = child;
        if (number < first + child.count) break;
        first += child.count;
      }
    }
    std::vector<StoredRequest> requests;
    absl::Status status = requests_.Records(node, &requests);
    if (!status.ok()) return status;
    return Found{number, lane, requests[number - first]};
  }
  return absl::NotFoundError(
      absl::StrCat("request number ", number, ": there are ", first));
}

}  // namespace edgewise
