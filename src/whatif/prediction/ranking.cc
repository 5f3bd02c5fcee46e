#include "whatif/prediction/ranking.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

constexpr size_t kMostOfAKind = 12;
constexpr double kHalf = 0.5;

struct Weights {
  std::map<std::string, double> execution;  // by route, ns
  std::map<std::string, double> waits;      // by dependency
  std::map<std::pair<std::string, std::string>, double> route_waits;
  std::map<std::string, double> repeated;  // by route: calls in a row
  double collections_ns = 0;
};

void Weigh(const LoopModel& loop, const ModelNames& names, Weights* weights) {
  for (const ModelRequest& request : loop.requests) {
    const std::string& route = names.routes->Text(request.route);
    for (uint32_t i = 0; i < request.jobs; ++i) {
      const Job& job = loop.jobs[request.first_job + i];
      weights->execution[route] += job.own_ns;
      const double wait_ns = job.wait_ns();
      if (job.parent == Job::kNone || wait_ns <= 0) continue;
      const Dependency& dependency = names.dependencies->At(job.dependency);
      if (dependency.kind == "request") continue;  // Another has held it up.
      const std::string what = dependency.what();
      weights->waits[what] += wait_ns;
      weights->route_waits[{route, what}] += wait_ns;
      const Job& before = loop.jobs[request.first_job + job.parent];
      if (job.call != 0 && job.call == before.call) {
        weights->repeated[route] += wait_ns;
      }
    }
  }
  for (const LoopPause& each : loop.collections) {
    weights->collections_ns += each.ns;
  }
}

// The heaviest, heaviest first.
template <typename Key>
std::vector<Key> Heaviest(const std::map<Key, double>& weights) {
  std::vector<std::pair<double, Key>> sorted;
  for (const auto& [key, weight] : weights) {
    if (weight > 0) sorted.emplace_back(weight, key);
  }
  std::sort(sorted.rbegin(), sorted.rend());
  std::vector<Key> keys;
  for (size_t i = 0; i < std::min(kMostOfAKind, sorted.size()); ++i) {
    keys.push_back(sorted[i].second);
  }
  return keys;
}

Change Of(Change::Kind kind, const std::string& route,
          const std::string& dependency) {
  Change change{};
  change.kind = kind;
  change.route = route;
  change.dependency = dependency;
  change.scale = kHalf;
  return change;
}

}  // namespace

std::vector<Scenario> Candidates(const std::vector<LoopModel>& loops,
                                 const ModelNames& names) {
  Weights weights;
  for (const LoopModel& loop : loops) Weigh(loop, names, &weights);
  std::vector<Scenario> candidates;
  for (const std::string& route : Heaviest(weights.execution)) {
    candidates.push_back({absl::StrCat(route, " with half its execution"),
                          {Of(Change::Kind::kCpu, route, "")}});
  }
  for (const std::string& what : Heaviest(weights.waits)) {
    candidates.push_back({absl::StrCat("half the wait for ", what),
                          {Of(Change::Kind::kWait, "", what)}});
  }
  for (const auto& [route, what] : Heaviest(weights.route_waits)) {
    const bool only_one =
        weights.waits[what] == weights.route_waits[std::pair(route, what)];
    if (only_one) continue;
    candidates.push_back({absl::StrCat(route, " with half its wait for ", what),
                          {Of(Change::Kind::kWait, route, what)}});
  }
  for (const std::string& route : Heaviest(weights.repeated)) {
    candidates.push_back({absl::StrCat(route, " with equal calls in one"),
                          {Of(Change::Kind::kBatch, route, "")}});
  }
  if (weights.collections_ns > 0) {
    candidates.push_back({"half the time of garbage collections",
                          {Of(Change::Kind::kCollections, "", "")}});
  }
  return candidates;
}

}  // namespace edgewise
