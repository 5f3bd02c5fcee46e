#include "across/relays.h"

#include <algorithm>
#include <utility>

namespace edgewise {
namespace {

// Of the questions so many have the bytes, as others were asked in parts.
constexpr double kMostBytes = 0.9;
// An end may be the other one of which so many requests lie in their questions'
// time; it is, of which so many do, and that no other one may be.
constexpr double kMayBe = 0.25;
constexpr double kIs = 0.5;

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

// Of the questions whose requests are kept, the share which they agree with.
double Relays::Agreed(const Sketch& called, const Sketch& served) {
  if (called.key.file == served.key.file) return 0;
  const bool same_clock = called.clock == served.clock;
  Ahead ahead;
  size_t looked_at = 0;
  size_t same_bytes = 0;
  size_t agreed = 0;
  size_t next = 1;  // request, after the one that was asked for
  for (const Message& call : called.messages) {
    while (next < served.messages.size() &&
           served.messages[next].bytes - call.bytes > INT32_MAX) {
      ++next;
    }
    if (next >= served.messages.size()) break;
    ++looked_at;
    if (served.messages[next].bytes != call.bytes) continue;
    ++same_bytes;
    const Message& request = served.messages[next - 1];
    const auto outside =
        OutsideOf(call.begin_ns, call.end_ns, request.begin_ns, request.end_ns);
    const int64_t least_ns = request.end_ns - call.end_ns - kLateNs;
    const int64_t most_ns = request.begin_ns - call.begin_ns + kLateNs;
    const bool agrees =
        same_clock ? outside.has_value() && outside->IsNoMoreThan(kLateNs)
                   : least_ns <= most_ns;
    if (!agrees) continue;
    ++agreed;
    ahead.least_ns = std::max(ahead.least_ns, least_ns);
    ahead.most_ns = std::min(ahead.most_ns, most_ns);
  }
  const bool enough =
      same_bytes >= kLeast && static_cast<double>(same_bytes) >=
                                  kMostBytes * static_cast<double>(looked_at);
  const bool apart_by_one = same_clock || ahead.least_ns <= ahead.most_ns;
  return enough && apart_by_one
             ? static_cast<double>(agreed) / static_cast<double>(looked_at)
             : 0;
}

void Relays::Match() {
  struct Pair {
    Key called;
    Key served;
    double agreed;
  };
  std::vector<Pair> pairs;
  for (const Sketch& called : called_) {
    for (const Sketch& served : served_) {
      const double agreed = Agreed(called, served);
      if (agreed < kMayBe) continue;
      pairs.push_back({called.key, served.key, agreed});
      ++called_keys_[called.key].candidates;
      ++served_keys_[served.key].candidates;
    }
  }
  for (const Pair& pair : pairs) {
    Found& called = called_keys_[pair.called];
    Found& served = served_keys_[pair.served];
    if (called.candidates != 1 || served.candidates != 1) continue;
    if (pair.agreed >= kIs) called.relay = served.relay = ++relays_;
  }
  called_ = {};
  served_ = {};
}

}  // namespace edgewise
