// What policies of boosting do to recorded loops, simulated: reads a task as
// JSON from standard input, prints what came as JSON.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "whatif/boosting/boosting.h"
#include "whatif/model/recorded_loops.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const BoostEstimate& estimate) {
  return {estimate.value, estimate.low, estimate.high};
}

std::array<double, kLevels> Speeds(const Json& json) {
  return {json.at(0), json.at(1), json.at(2)};
}

void Read(const Json& json, const char* name, Lateness* lateness) {
  if (!json.contains(name)) return;
  *lateness = {json.at(name).at(0), json.at(name).at(1)};
}

BoostMachine MachineOf(const Json& json) {
  BoostMachine machine;
  if (json.contains("speeds")) machine.speeds = Speeds(json.at("speeds"));
  if (json.contains("khz")) {
    for (size_t i = 0; i < kLevels; ++i) {
      machine.frequencies[i] = json.at("khz").at(i);
    }
  }
  machine.transition_ns = json.value("transition_ns", machine.transition_ns);
  machine.rise_ns = json.value("rise_ns", machine.rise_ns);
  machine.fall_ns = json.value("fall_ns", machine.fall_ns);
  Read(json, "deadline_ns", &machine.deadline);
  Read(json, "look_ns", &machine.look);
  return machine;
}

BoostCandidate CandidateOf(const Json& json, const BoostMachine& machine,
                           const RouteTable& routes) {
  BoostCandidate candidate;
  candidate.policies = json.at("policies");
  PolicyConfig& config = candidate.config;
  config.transition_ns = machine.transition_ns;
  config.frequencies = machine.frequencies;
  config.target_ns = json.value("target_ns", config.target_ns);
  config.percentile = json.value("percentile", config.percentile);
  config.queue_factor = json.value("queue_factor", config.queue_factor);
  config.head_factor = json.value("head_factor", config.head_factor);
  for (const Json& name : json.value("routes", Json::array())) {
    for (uint32_t route = 0; route < routes.size(); ++route) {
      if (routes.Text(route) == name) config.tail_routes.push_back(route);
    }
  }
  return candidate;
}

Json ToJson(const BoostOutcome& outcome) {
  Json json;
  const char* const names[] = {"p50", "p99", "p999"};
  for (size_t p = 0; p < kBoostPercentiles.size(); ++p) {
    json["latency_ns"][names[p]] = ToJson(outcome.latency_ns[p]);
    json["ratio"][names[p]] = ToJson(outcome.ratio[p]);
  }
  json["energy"] = ToJson(outcome.energy);
  json["shares"] = outcome.shares;
  json["boosts_per_s"] = outcome.boosts_per_s;
  json["utilisation"] = outcome.utilisation;
  return json;
}

// The loop that answered most.
LoopModel* Busiest(std::vector<LoopModel>* loops) {
  return &*std::max_element(loops->begin(), loops->end(),
                            [](const LoopModel& one, const LoopModel& other) {
                              return one.requests.size() <
                                     other.requests.size();
                            });
}

// Of each route, as recorded: how many requests, and how many of them are among
// the slowest `part` of all.
Json RoutesOf(const LoopModel& loop, const RouteTable& routes, double part) {
  std::vector<int64_t> latencies;
  latencies.reserve(loop.requests.size());
  for (const ModelRequest& request : loop.requests) {
    latencies.push_back(request.latency_ns);
  }
  std::sort(latencies.begin(), latencies.end());
  const int64_t tail_ns = latencies[static_cast<size_t>(
      (1 - part) * static_cast<double>(latencies.size() - 1))];
  std::vector<std::array<uint64_t, 2>> counts(routes.size());
  for (const ModelRequest& request : loop.requests) {
    ++counts[request.route][0];
    if (request.latency_ns > tail_ns) ++counts[request.route][1];
  }
  Json json = Json::object();
  for (uint32_t route = 0; route < routes.size(); ++route) {
    if (counts[route][0] == 0) continue;
    json[routes.Text(route)] = {{"requests", counts[route][0]},
                                {"tail", counts[route][1]}};
  }
  return json;
}

absl::StatusOr<Json> Simulated(const std::string& directory, const Json& task) {
  auto recorded =
      ReadRecordedLoops(directory, task.value("skip_ns", int64_t{2000000000}));
  if (!recorded.ok()) return recorded.status();
  LoopModel& loop = *Busiest(&recorded->loops);
  // What other programs took of the processor is none of the policies' affair.
  loop.displaced.clear();
  BoostOptions options;
  options.machine = MachineOf(task.value("machine", Json::object()));
  options.replications = task.value("replications", options.replications);
  options.seed = task.value("seed", options.seed);
  options.load = task.value("load", options.load);
  options.warm_up = task.value("warm_up", options.warm_up);
  std::vector<BoostCandidate> candidates;
  for (const Json& each : task.at("candidates")) {
    candidates.push_back(CandidateOf(each, options.machine, recorded->routes));
  }
  auto outcomes = CompareBoosts(loop, candidates, options);
  if (!outcomes.ok()) return outcomes.status();
  Json json = {{"requests", loop.requests.size()},
               {"left_out", loop.left_out},
               {"seconds", loop.span_ns() / 1e9},
               {"routes", RoutesOf(loop, recorded->routes, 0.01)},
               {"outcomes", Json::array()}};
  for (const BoostOutcome& outcome : *outcomes) {
    json["outcomes"].push_back(ToJson(outcome));
  }
  return json;
}

int Main(int argc, char** argv) {
  CLI::App app{"What policies of boosting do to a recorded loop."};
  std::string directory;
  app.add_option("directory", directory, "of the trace")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const auto json = Simulated(directory, Json::parse(text));
    if (json.ok()) {
      puts(json->dump().c_str());
      return 0;
    }
    fprintf(stderr, "%s\n", std::string(json.status().message()).c_str());
  } catch (const Json::exception& error) {
    fprintf(stderr, "the task: %s\n", error.what());
  }
  return 1;
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) { return edgewise::Main(argc, argv); }
