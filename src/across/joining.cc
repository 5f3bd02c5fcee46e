#include "across/joining.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace edgewise {
namespace {

// One connection, as one end has recorded it.
template <typename Row>
struct Session {
  std::span<const Row> rows;
  int64_t begin_ns;
  int64_t end_ns;
};

int64_t BeginOf(const ServedRow& row) { return row.ready_ns; }
int64_t BeginOf(const CalledRow& row) { return row.asked_ns; }
int64_t EndOf(const ServedRow& row) { return row.end_ns; }
int64_t EndOf(const CalledRow& row) { return row.read_ns; }

// Rows of one link, in order: each connection's follow one another.
template <typename Row>
std::vector<Session<Row>> SessionsOf(std::span<const Row> rows) {
  std::vector<Session<Row>> sessions;
  for (size_t i = 0; i < rows.size();) {
    size_t end = i;
    int64_t end_ns = INT64_MIN;
    while (end < rows.size() && rows[end].file == rows[i].file &&
           rows[end].session == rows[i].session) {
      end_ns = std::max(end_ns, EndOf(rows[end]));
      ++end;
    }
    sessions.push_back({rows.subspan(i, end - i), BeginOf(rows[i]), end_ns});
    i = end;
  }
  std::sort(sessions.begin(), sessions.end(),
            [](const auto& one, const auto& other) {
              return one.begin_ns < other.begin_ns;
            });
  return sessions;
}

// The other end of a connection. A port that is used again has several: those
// of one clock are told by their times, others by their order if none is
// missing.
std::span<const ServedRow> OtherEnd(
    const std::vector<Session<ServedRow>>& served,
    const std::vector<Session<CalledRow>>& called, size_t place) {
  const Session<CalledRow>& own = called[place];
  const bool same_clock =
      own.rows.front().clock == served.front().rows.front().clock;
  if (!same_clock) {
    return served.size() == called.size() ? served[place].rows
                                          : std::span<const ServedRow>();
  }
  std::span<const ServedRow> best;
  int64_t most_ns = 0;
  for (const Session<ServedRow>& other : served) {
    const int64_t shared_ns = std::min(own.end_ns, other.end_ns) -
                              std::max(own.begin_ns, other.begin_ns);
    if (shared_ns <= most_ns) continue;
    most_ns = shared_ns;
    best = other.rows;
  }
  return best;
}

// What is asked after its answer is over is another question. Times of two
// clocks say nothing.
bool Fits(const CalledRow& call, const ServedRow& request) {
  return call.clock != request.clock ||
         (call.asked_ns <= request.end_ns && request.ready_ns <= call.read_ns);
}

// Another question follows the answer, which its caller may read while who has
// written it still does.
bool AsksMore(const CalledRow& call, const ServedRow& request) {
  constexpr int64_t kApartNs = 100'000;
  return call.clock == request.clock && Fits(call, request) &&
         call.asked_ns < request.end_ns - kApartNs;
}

int64_t Share(int64_t ns, int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<int64_t>(static_cast<double>(ns) *
                                          static_cast<double>(part) /
                                          static_cast<double>(whole))
                   : 0;
}

}  // namespace

const ServedRow* RequestFinder::OfStream(const CalledRow& call) {
  if (streams_.empty()) {
    for (const ServedRow& request : requests_) {
      if (request.of_stream != 0) streams_.emplace(request.received, &request);
    }
  }
  const auto found = streams_.find(call.asked);
  return found != streams_.end() && Fits(call, *found->second) ? found->second
                                                               : nullptr;
}

const ServedRow* RequestFinder::Of(const CalledRow& call) {
  if (requests_.empty()) return nullptr;
  if (call.of_stream != 0) return call.asked == 0 ? nullptr : OfStream(call);
  while (at_ + 1 < requests_.size() && BeginsBefore(at_ + 1, call.asked)) ++at_;
  while (at_ > 0 && !BeginsBefore(at_, call.asked)) --at_;
  if (!BeginsBefore(at_, call.asked)) return nullptr;
  // What was read with the end of the body before begins earlier than it did.
  size_t place = at_;
  while (place > 0 && !Fits(call, requests_[place])) --place;
  if (IsOneOfSeveral(place)) return nullptr;
  const ServedRow* const request = &requests_[place];
  // Several steps may wait for parts of one answer, or ask for it in parts.
  if (request == found_) {
    return call.asked == asked_ || AsksMore(call, *request) ? request : nullptr;
  }
  if (!Fits(call, *request)) return nullptr;
  asked_ = call.asked;
  return found_ = request;
}

CallParts PartsOf(const CalledRow& call, const ServedRow& served) {
  const int64_t io_ns = call.end_ns - call.begin_ns;
  const int64_t latency_ns = served.end_ns - served.ready_ns;
  int64_t there_ns = std::min(io_ns, latency_ns);
  if (call.clock == served.clock) {
    there_ns =
        std::max<int64_t>(0, std::min(call.end_ns, served.end_ns) -
                                 std::max(call.begin_ns, served.ready_ns));
  }
  CallParts parts;
  parts.queue_ns = Share(served.queue_ns, there_ns, latency_ns);
  parts.exec_ns = Share(served.exec_ns, there_ns, latency_ns);
  parts.gc_ns = Share(served.gc_ns, there_ns, latency_ns);
  parts.off_ns = Share(served.off_ns, there_ns, latency_ns);
  parts.io_ns = there_ns - parts.queue_ns - parts.exec_ns;
  parts.network_ns = io_ns - there_ns;
  return parts;
}

void Joining::JoinLink(const Visit& visit) {
  const auto served = SessionsOf(std::span<const ServedRow>(requests_));
  const auto called = SessionsOf(std::span<const CalledRow>(calls_));
  for (size_t i = 0; i < called.size(); ++i) {
    RequestFinder finder(served.empty() ? std::span<const ServedRow>()
                                        : OtherEnd(served, called, i));
    for (const CalledRow& call : called[i].rows) {
      const ServedRow* const found = finder.Of(call);
      if (found != nullptr || call.context == 0) {
        visit({&call, found, found ? PartsOf(call, *found) : CallParts(),
               finder.IsBeforeAll(call)});
      } else if (!left_known_) {
        CalledRow left = call;
        left.link = call.context;
        left_.Add(left);
      }
    }
  }
}

// A name that several requests were told, or several have asked by, says
// nothing: something has passed it on, or tried again.
void Joining::JoinContext(const Visit& visit) {
  const CalledRow& first = calls_.front();
  const bool one_asks =
      std::all_of(calls_.begin(), calls_.end(), [&](const CalledRow& call) {
        return call.file == first.file && call.request == first.request &&
               call.asked_ns == first.asked_ns;
      });
  for (const CalledRow& call : calls_) {
    const ServedRow* const found =
        one_asks && requests_.size() == 1 && Fits(call, requests_.front())
            ? &requests_.front()
            : nullptr;
    visit({&call, found, found ? PartsOf(call, *found) : CallParts(),
           /*before=*/false, /*by_context=*/found != nullptr});
  }
}

bool Joining::NextOf(SortedRows<ServedRow>::Reader* served,
                     SortedRows<CalledRow>::Reader* called) {
  if (called->row() == nullptr) return false;
  const uint64_t link = called->row()->link;
  calls_.clear();
  requests_.clear();
  for (; called->row() != nullptr && called->row()->link == link;
       called->Next()) {
    calls_.push_back(*called->row());
  }
  while (served->row() != nullptr && served->row()->link < link) {
    served->Next();
  }
  for (; served->row() != nullptr && served->row()->link == link;
       served->Next()) {
    requests_.push_back(*served->row());
  }
  return true;
}

absl::Status Joining::ForEach(const Visit& visit) {
  SortedRows<ServedRow>::Reader served(served_);
  SortedRows<CalledRow>::Reader called(called_);
  while (NextOf(&served, &called)) JoinLink(visit);
  absl::Status status = called.status();
  status.Update(served.status());
  if (!std::exchange(left_known_, true)) status.Update(left_.Finish());
  if (!status.ok()) return status;
  SortedRows<ServedRow>::Reader named(named_);
  SortedRows<CalledRow>::Reader left(&left_);
  while (NextOf(&named, &left)) JoinContext(visit);
  status.Update(left.status());
  status.Update(named.status());
  return status;
}

}  // namespace edgewise
