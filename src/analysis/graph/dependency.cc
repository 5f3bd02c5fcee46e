#include "analysis/graph/dependency.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/graph/critical_path.h"
#include "trace/names.h"

namespace edgewise {

namespace {

// Of "cache.internal (10.0.0.7:6379)" what stands in brackets.
std::string_view AddressOf(std::string_view peer) {
  const size_t begin = peer.find(" (");
  if (begin == std::string_view::npos || !peer.ends_with(')')) return peer;
  return peer.substr(begin + 2, peer.size() - begin - 3);
}

}  // namespace

DependencyTable::DependencyTable()
    : dependencies_{{"(unknown)", ""}, {"(other dependencies)", ""}},
      calls_{"", "(other calls)"} {}

uint32_t DependencyTable::Intern(std::string_view kind) {
  return Intern({std::string(kind), "", /*asked=*/false});
}

uint32_t DependencyTable::Intern(std::string_view protocol,
                                 std::string_view peer) {
  return Intern({std::string(protocol), std::string(peer), /*asked=*/true});
}

uint32_t DependencyTable::InternCalled(std::string_view operation,
                                       std::string_view peer) {
  const size_t end = std::min(operation.find(' '), operation.size());
  const std::string_view protocol = operation.substr(0, end);
  const std::string_view asked =
      operation.substr(std::min(end + 1, operation.size()));
  const std::string_view host = asked.substr(0, asked.find(' '));
  const bool named = protocol == "tls" && !host.empty() && host[0] != '(' &&
                     !peer.starts_with(absl::StrCat(std::string(host), " ("));
  if (!named) return Intern(protocol, peer);
  const std::string address(AddressOf(peer));
  return Intern(protocol, absl::StrCat(std::string(host), " (", address, ")"));
}

void DependencyTable::NoteTcp(uint32_t dependency, uint32_t retransmits,
                              uint32_t round_trip_us) {
  Dependency& noted = dependencies_[dependency];
  ++noted.measured;
  noted.retransmits += retransmits;
  noted.round_trips_us += round_trip_us;
}

uint32_t DependencyTable::InternWork(std::string_view kind,
                                     std::string_view about) {
  return Intern({std::string(kind), std::string(about), /*asked=*/false});
}

void DependencyTable::NotePool(uint32_t dependency, uint32_t threads) {
  Dependency& noted = dependencies_[dependency];
  noted.pooled = true;
  noted.pool_threads = std::max(noted.pool_threads, threads);
}

uint32_t DependencyTable::Intern(Dependency dependency) {
  // No kind holds a line feed, or a tabulator.
  std::string key = absl::StrCat(
      dependency.kind, dependency.asked ? "\n" : "\t", dependency.peer);
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  if (dependencies_.size() >= kMaxDependencies) return kOther;
  const uint32_t number = size();
  dependencies_.push_back(std::move(dependency));
  numbers_.emplace(std::move(key), number);
  return number;
}

uint32_t DependencyTable::InternCall(std::string_view text) {
  if (text.empty()) return kUnknown;
  const auto found = call_numbers_.find(std::string(text));
  if (found != call_numbers_.end()) return found->second;
  if (calls_.size() >= kMaxCalls) return kOther;
  const auto number = static_cast<uint32_t>(calls_.size());
  calls_.emplace_back(text);
  call_numbers_.emplace(std::string(text), number);
  return number;
}

const char* DependencyKind(EventType type) {
  switch (type) {
    case EventType::kFsRead:
    case EventType::kFsReaddir:
    case EventType::kFsStat:
    case EventType::kFsOpen:
    case EventType::kFsWrite:
    case EventType::kFsClose:
    case EventType::kFsOther:
      return "file";
    case EventType::kDns:
      return "dns";
    case EventType::kThreadPool:
      return "thread pool";
    case EventType::kChild:
      return "process";
    case EventType::kMessage:
      return "message";
    default:
      return EventTypeName(type);
  }
}

DependencyLedger::Entry& DependencyLedger::EntryOf(uint32_t dependency) {
  if (dependency >= entries_.size()) {
    entries_.resize(dependency + 1);
    seen_.resize(dependency + 1);
  }
  entries_[dependency].dependency = dependency;
  return entries_[dependency];
}

void DependencyLedger::AddRequest(const RequestGraph& graph,
                                  const CriticalPath& path) {
  ++requests_;
  for (const PathStep& step : path.steps) {
    if (step.io_ns == 0) continue;
    const Node& node = graph.At(step.node);
    const uint32_t dependency = node.dependency;
    Entry& entry = EntryOf(dependency);
    Seen& seen = seen_[dependency];
    if (seen.request != requests_) {
      seen = {requests_, 0};
      ++entry.requests;
    }
    entry.io_ns += static_cast<double>(step.io_ns);
    if ((node.flags & Node::kPooled) != 0) {
      entry.pool_queue_ns += static_cast<double>(step.pool_queue_ns);
      if (node.taken_ns == 0) {
        entry.pool_unknown_ns += static_cast<double>(step.io_ns);
      }
    }
    ++entry.in_turn;
    entry.most_in_turn = std::max(entry.most_in_turn, ++seen.in_turn);
  }
  for (const RequestGraph::Calls& calls : graph.calls) {
    EntryOf(calls.dependency).calls += calls.count;
  }
}

std::vector<DependencyLedger::Entry> DependencyLedger::Entries() const {
  std::vector<Entry> used;
  for (const Entry& entry : entries_) {
    if (entry.requests > 0 || entry.calls > 0) used.push_back(entry);
  }
  std::stable_sort(
      used.begin(), used.end(),
      [](const Entry& a, const Entry& b) { return a.io_ns > b.io_ns; });
  return used;
}

}  // namespace edgewise
