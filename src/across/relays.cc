#include "across/relays.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace edgewise {
namespace {

// Of the questions so many have the bytes, as others were asked in parts.
constexpr double kMostBytes = 0.9;
// An end may be the other one of which so many messages agree; it is, of which
// so many do, and that no other one may be.
struct Enough {
  double may_be;
  double is;
};
// Messages of several sizes tell it: their times need only be possible. Of one
// size the times must tell.
constexpr size_t kTellingSizes = 3;
constexpr Enough kByBytes = {0.5, 0.75};
constexpr Enough kByTimes = {0.25, 0.5};

// How far another clock may be ahead.
struct Ahead {
  int64_t least_ns = INT64_MIN;
  int64_t most_ns = INT64_MAX;
};

}  // namespace

void Relays::AddServed(const Session<ServedRow>& session) {
  const ServedRow& first = session.rows.front();
  if (served_.size() >= kMostSessions || session.rows.size() < kLeast) return;
  Sketch sketch{{first.link, first.file, first.session}, first.clock, {}};
  for (const ServedRow& row : session.rows) {
    if (row.of_stream != 0 || sketch.messages.size() >= kMostRequests) break;
    sketch.messages.push_back({row.received, row.ready_ns, row.end_ns});
  }
  served_.push_back(std::move(sketch));
}

void Relays::AddCalled(const Session<CalledRow>& session) {
  const CalledRow& first = session.rows.front();
  if (called_.size() >= kMostSessions || session.rows.size() < kLeast) return;
  Sketch sketch{{first.link, first.file, first.session}, first.clock, {}};
  for (const CalledRow& row : session.rows) {
    auto& messages = sketch.messages;
    // Several steps may wait for parts of one answer.
    if (!messages.empty() && messages.back().bytes == row.asked) {
      messages.back().end_ns = std::max(messages.back().end_ns, row.read_ns);
      continue;
    }
    if (row.of_stream != 0 || messages.size() >= kMostCalls) break;
    messages.push_back({row.asked, row.asked_ns, row.read_ns});
  }
  called_.push_back(std::move(sketch));
}

Relays::Likeness Relays::Compare(const Sketch& called, const Sketch& served) {
  if (called.key.file == served.key.file) return Likeness::kNone;
  const bool same_clock = called.clock == served.clock;
  Ahead ahead;
  absl::flat_hash_set<uint32_t> sizes;
  uint32_t before = 0;
  size_t looked_at = 0;
  size_t same_bytes = 0;
  size_t within = 0;
  size_t possible = 0;
  size_t next = 1;  // request, after the one that was asked for
  for (const Message& call : called.messages) {
    while (next < served.messages.size() &&
           served.messages[next].bytes - call.bytes > INT32_MAX) {
      ++next;
    }
    if (next >= served.messages.size()) break;
    ++looked_at;
    if (served.messages[next].bytes != call.bytes) {
      // It will not come to so many any more.
      if (looked_at - same_bytes > kMostCalls / 8) return Likeness::kNone;
      continue;
    }
    ++same_bytes;
    const Message& request = served.messages[next - 1];
    if (before == request.bytes) sizes.insert(call.bytes - before);
    before = call.bytes;
    if (!same_clock) {
      const int64_t least_ns = request.end_ns - call.end_ns - kLateNs;
      const int64_t most_ns = request.begin_ns - call.begin_ns + kLateNs;
      if (least_ns > most_ns) continue;
      ++within;
      ahead.least_ns = std::max(ahead.least_ns, least_ns);
      ahead.most_ns = std::min(ahead.most_ns, most_ns);
      continue;
    }
    const auto outside =
        OutsideOf(call.begin_ns, call.end_ns, request.begin_ns, request.end_ns);
    if (!outside.has_value()) continue;
    within += outside->IsNoMoreThan(kLateNs) ? 1 : 0;
    possible += outside->IsPossible() ? 1 : 0;
  }
  const auto share = [&](size_t of) {
    return static_cast<double>(of) / static_cast<double>(looked_at);
  };
  if (same_bytes < kLeast || share(same_bytes) < kMostBytes ||
      ahead.least_ns > ahead.most_ns) {
    return Likeness::kNone;
  }
  const bool by_bytes = same_clock && sizes.size() >= kTellingSizes;
  const Enough enough = by_bytes ? kByBytes : kByTimes;
  const double agreed = share(by_bytes ? possible : within);
  if (agreed < enough.may_be) return Likeness::kNone;
  return agreed < enough.is ? Likeness::kMayBe : Likeness::kIs;
}

void Relays::Match() {
  struct Pair {
    Key called;
    Key served;
    Likeness likeness;
  };
  std::vector<Pair> pairs;
  for (const Sketch& called : called_) {
    for (const Sketch& served : served_) {
      const Likeness likeness = Compare(called, served);
      if (likeness == Likeness::kNone) continue;
      pairs.push_back({called.key, served.key, likeness});
      ++called_keys_[called.key].candidates;
      ++served_keys_[served.key].candidates;
    }
  }
  for (const Pair& pair : pairs) {
    Found& called = called_keys_[pair.called];
    Found& served = served_keys_[pair.served];
    if (called.candidates != 1 || served.candidates != 1) continue;
    if (pair.likeness != Likeness::kIs) continue;
    called.relay = served.relay = ++relays_;
  }
  called_ = {};
  served_ = {};
}

}  // namespace edgewise
