#include "analysis/tables/stacks_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/requests/request_json.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRoleNames[kSampleRoles] = {
    "tail_wait_ns", "tail_exec_ns",    "rest_wait_ns",
    "rest_exec_ns", "request_wait_ns", "request_exec_ns"};
// Where no request was asked for: those before its own.
constexpr size_t kGroupRoles = static_cast<size_t>(SampleRole::kRequestWait);

void AddWeights(const StackWeights& weights, size_t roles, Json* json) {
  for (size_t role = 0; role < roles; ++role) {
    (*json)[kRoleNames[role]] = std::llround(weights.ns[role]);
  }
}

double OfTail(const StackWeights& weights) {
  return weights.Of(SampleRole::kTailWait) + weights.Of(SampleRole::kTailExec);
}

// [node, tail_wait_ns, tail_exec_ns, rest_wait_ns, rest_exec_ns] of each, and
// the request's times.
Json SumsJson(const StackSums& sums, size_t roles) {
  std::map<uint32_t, StackWeights> sorted(sums.begin(), sums.end());
  Json list = Json::array();
  for (const auto& [stack, weights] : sorted) {
    Json row = Json::array({stack});
    for (size_t role = 0; role < roles; ++role) {
      row.push_back(std::llround(weights.ns[role]));
    }
    list.push_back(std::move(row));
  }
  return list;
}

// By column. Node 0 is what could not be told.
Json TreeJson(const StackTree& tree) {
  Json json;
  for (const char* column :
       {"parent", "function", "script", "line", "column"}) {
    json[column] = Json::array();
  }
  Json texts = Json::array();
  std::vector<uint32_t> numbers;  // of the texts
  const auto text = [&](uint32_t id) {
    if (numbers.size() <= id) numbers.resize(id + 1, UINT32_MAX);
    if (numbers[id] == UINT32_MAX) {
      numbers[id] = static_cast<uint32_t>(texts.size());
      texts.push_back(tree.Text(id));
    }
    return numbers[id];
  };
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const auto& [parent, frame] = tree.At(node);
    json["parent"].push_back(parent);
    json["function"].push_back(text(frame.function));
    json["script"].push_back(text(frame.script));
    json["line"].push_back(frame.line);
    json["column"].push_back(frame.column);
  }
  json["texts"] = std::move(texts);
  return json;
}

}  // namespace

Json StacksJson(const ExplainPass& explained, const RouteTable& routes,
                bool whole, bool with_request) {
  if (explained.stack_samples() == 0) return nullptr;
  const size_t roles = with_request ? kSampleRoles : kGroupRoles;
  struct Entry {
    const Blocker* cause;
    const StackSums* sums;
    StackWeights total;
    double unknown_ns;
  };
  std::vector<Entry> entries;
  explained.ledger().ForEachStacks([&](const Blocker& cause,
                                       const StackSums& sums) {
    StackWeights total;
    for (const auto& [stack, weights] : sums) total += weights;
    const auto unknown = sums.find(0);
    entries.push_back({&cause, &sums, total,
                       unknown == sums.end() ? 0 : OfTail(unknown->second)});
  });
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) {
                     return OfTail(a.total) > OfTail(b.total);
                   });
  Json causes = Json::array();
  for (const Entry& entry : entries) {
    Json json = CauseJson(entry.cause->kind, entry.cause->route,
                          entry.cause->type, routes);
    AddWeights(entry.total, roles, &json);
    json["tail_unknown_ns"] = std::llround(entry.unknown_ns);
    if (whole) json["stacks"] = SumsJson(*entry.sums, roles);
    causes.push_back(std::move(json));
  }
  Json json;
  json["samples"] = explained.stack_samples();
  json["causes"] = std::move(causes);
  if (whole) json["tree"] = TreeJson(explained.stacks());
  return json;
}

}  // namespace edgewise
