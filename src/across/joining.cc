#include "across/joining.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "across/call_names.h"
#include "trace/trace_context.h"

namespace edgewise {
namespace {

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

void RequestFinder::FindPipelined(std::span<const CalledRow> calls) {
  for (size_t i = 0; i < requests_.size();) {
    size_t next = i + 1;
    while (next < requests_.size() &&
           requests_[next].received == requests_[i].received) {
      ++next;
    }
    if (next - i > 1 && requests_[i].of_stream == 0) {
      FindOfOneRead(requests_.subspan(i, next - i),
                    next < requests_.size()
                        ? requests_[next].received
                        : requests_[i].received + uint32_t{INT32_MAX},
                    calls);
    }
    i = next;
  }
}

// `end`: so many bytes had been read before the next request.
void RequestFinder::FindOfOneRead(std::span<const ServedRow> together,
                                  uint32_t end,
                                  std::span<const CalledRow> calls) {
  const uint32_t received = together.front().received;
  std::vector<uint32_t> asked;  // since what was read before
  for (const CalledRow& call : calls) {
    const uint32_t since = call.asked - received;
    if (call.of_stream == 0 && since > 0 && since <= end - received) {
      asked.push_back(since);
    }
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  if (asked.size() != together.size()) return;
  for (size_t i = 0; i < asked.size(); ++i) {
    pipelined_.emplace(received + asked[i], &together[i]);
  }
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
  if (IsOneOfSeveral(place)) {
    const auto found = pipelined_.find(call.asked);
    return found != pipelined_.end() && Fits(call, *found->second)
               ? found->second
               : nullptr;
  }
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

void Joining::JoinLink(const Told& told) const {
  const auto served = SessionsOf(std::span<const ServedRow>(requests_));
  const auto called = SessionsOf(std::span<const CalledRow>(calls_));
  for (size_t i = 0; i < called.size(); ++i) {
    RequestFinder finder(served.empty() ? std::span<const ServedRow>()
                                        : OtherEnd(served, called, i),
                         called[i].rows);
    for (const CalledRow& call : called[i].rows) {
      const ServedRow* const found = finder.Of(call);
      told(call, found, finder.IsBeforeAll(call));
    }
  }
}

// Whether its name may tell what its connection does not. An `x-request-id` may
// be that of many calls: only where its connection leads to nobody known.
bool Joining::IsLeftToName(const CalledRow& call) const {
  return call.context != 0 &&
         (requests_.empty() || TraceContext::IsTracedKey(call.context));
}

// Sorts out what is found by other means than its connection.
absl::Status Joining::Prepare() {
  if (std::exchange(prepared_, true)) return absl::OkStatus();
  SortedRows<ServedRow>::Reader served(served_);
  SortedRows<CalledRow>::Reader called(called_);
  const auto alone = [this] { SketchServed(); };
  while (NextOf(&served, &called, alone)) {
    bool unnamed = false;
    JoinLink([&](const CalledRow& call, const ServedRow* found, bool) {
      unnamed = unnamed || (found == nullptr && call.context == 0);
      CalledRow left = call;
      left.link = call.context;
      if (found != nullptr) {
        left.served_file = found->file;
        left.served_request = found->request;
      }
      // One that is joined tells who has asked whom by its name.
      const bool passed_on =
          found != nullptr && !TraceContext::IsTracedKey(call.context);
      if (passed_on || (found == nullptr && IsLeftToName(call))) {
        left_.Add(left);
      }
    });
    if (!requests_.empty() || calls_.front().link == 0 || !unnamed) continue;
    for (const auto& each : SessionsOf(std::span<const CalledRow>(calls_))) {
      relays_.AddCalled(each);
    }
  }
  relays_.Match();
  absl::Status status = called.status();
  status.Update(served.status());
  if (relays_.any()) status.Update(GatherRelayed());
  status.Update(left_.Finish());
  status.Update(relayed_served_.Finish());
  status.Update(relayed_called_.Finish());
  return status;
}

void Joining::SketchServed() {
  const ServedRow& first = requests_.front();
  if (first.link == 0 || opened_->contains(first.link)) return;
  for (const auto& each : SessionsOf(std::span<const ServedRow>(requests_))) {
    relays_.AddServed(each);
  }
}

absl::Status Joining::GatherRelayed() {
  SortedRows<ServedRow>::Reader served(served_);
  for (; served.row() != nullptr; served.Next()) {
    ServedRow row = *served.row();
    row.link = relays_.OfServed(row).relay;
    if (row.link != 0) relayed_served_.Add(row);
  }
  SortedRows<CalledRow>::Reader called(called_);
  for (; called.row() != nullptr; called.Next()) {
    CalledRow row = *called.row();
    row.link = relays_.OfCalled(row).relay;
    if (row.link != 0 && row.context == 0) relayed_called_.Add(row);
  }
  absl::Status status = served.status();
  status.Update(called.status());
  return status;
}

void Joining::JoinName(const Visit& visit) {
  if (!TraceContext::IsTracedKey(calls_.front().context)) {
    std::erase_if(requests_, [this](const ServedRow& request) {
      return opened_->contains(request.via);
    });
  }
  const std::vector<NamedCall> named = JoinByName(calls_, requests_);
  for (size_t i = 0; i < calls_.size(); ++i) {
    const CalledRow& call = calls_[i];
    if (call.served_file != 0) continue;
    const ServedRow* const found = named[i].request;
    visit({&call, found, found ? PartsOf(call, *found) : CallParts(),
           /*before=*/false,
           TraceContext::IsTracedKey(call.context) ? JoinedBy::kTraceparent
                                                   : JoinedBy::kRequestId,
           named[i].candidates});
  }
}

void Joining::TakeRequests(SortedRows<ServedRow>::Reader* served,
                           uint64_t link) {
  requests_.clear();
  for (; served->row() != nullptr && served->row()->link == link;
       served->Next()) {
    requests_.push_back(*served->row());
  }
}

bool Joining::NextOf(SortedRows<ServedRow>::Reader* served,
                     SortedRows<CalledRow>::Reader* called,
                     const std::function<void()>& alone) {
  const uint64_t link =
      called->row() != nullptr ? called->row()->link : UINT64_MAX;
  while (served->row() != nullptr && served->row()->link < link) {
    if (alone) {
      TakeRequests(served, served->row()->link);
      alone();
    } else {
      served->Next();
    }
  }
  if (called->row() == nullptr) return false;
  calls_.clear();
  // Those of no known connection have nothing in common.
  do {
    calls_.push_back(*called->row());
    called->Next();
  } while (link != 0 && called->row() != nullptr &&
           called->row()->link == link);
  TakeRequests(served, link);
  return true;
}

absl::Status Joining::ForEach(const Visit& visit) {
  absl::Status status = Prepare();
  if (!status.ok()) return status;
  const auto joined = [&](JoinedBy by) {
    return [&visit, by, this](const CalledRow& call, const ServedRow* found,
                              bool before) {
      if (found != nullptr) {
        visit({&call, found, PartsOf(call, *found), before, by, 1});
        return;
      }
      Relays::Found relay;
      if (by == JoinedBy::kConnection) {
        if (IsLeftToName(call)) return;
        relay = relays_.OfCalled(call);
        if (relay.relay != 0 && call.context == 0) return;
      }
      visit({&call, nullptr, {}, before, by, relay.candidates});
    };
  };
  SortedRows<ServedRow>::Reader served(served_);
  SortedRows<CalledRow>::Reader called(called_);
  while (NextOf(&served, &called)) JoinLink(joined(JoinedBy::kConnection));
  SortedRows<ServedRow>::Reader named(named_);
  SortedRows<CalledRow>::Reader left(&left_);
  while (NextOf(&named, &left)) JoinName(visit);
  SortedRows<ServedRow>::Reader relayed(&relayed_served_);
  SortedRows<CalledRow>::Reader through(&relayed_called_);
  while (NextOf(&relayed, &through)) JoinLink(joined(JoinedBy::kBytes));
  for (const absl::Status& each :
       {called.status(), served.status(), left.status(), named.status(),
        relayed.status(), through.status()}) {
    status.Update(each);
  }
  return status;
}

}  // namespace edgewise
