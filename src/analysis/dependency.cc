#include "analysis/dependency.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/critical_path.h"
#include "analysis/names.h"

namespace edgewise {

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

uint32_t DependencyTable::Intern(Dependency dependency) {
  // No kind holds a line feed.
  std::string key = absl::StrCat(dependency.kind, dependency.asked ? "\n" : "",
                                 dependency.peer);
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
      return "child process";
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
    const uint32_t dependency = graph.At(step.node).dependency;
    Entry& entry = EntryOf(dependency);
    Seen& seen = seen_[dependency];
    if (seen.request != requests_) {
      seen = {requests_, 0};
      ++entry.requests;
    }
    entry.io_ns += static_cast<double>(step.io_ns);
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
