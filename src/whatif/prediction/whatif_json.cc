#include "whatif/prediction/whatif_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

// A percentile is told where so many requests lie above it.
constexpr double kAbove = 10;

std::string PercentileName(double percentile) {
  return absl::StrCat("p", percentile);
}

// Why a percentile cannot be told; "": it can.
std::string RefusalOf(double percentile, uint64_t requests) {
  const double needed = std::round(kAbove / (1 - percentile / 100));
  if (static_cast<double>(requests) >= needed) return "";
  return absl::StrFormat("%s needs %.0f requests, and there are %d",
                         PercentileName(percentile), needed, requests);
}

Json EstimateJson(const Estimate& estimate) {
  return {estimate.value, estimate.low, estimate.high};
}

Json PercentilesJson(const RouteChange& change, bool after, Json* refused) {
  Json json = Json::object();
  for (size_t p = 0; p < kPercentiles.size(); ++p) {
    const PercentileChange& percentile = change.percentiles[p];
    const std::string name = PercentileName(kPercentiles[p]);
    if (std::string why = RefusalOf(kPercentiles[p], change.requests);
        !why.empty()) {
      if (refused != nullptr) refused->push_back(std::move(why));
      json[name] = nullptr;
      continue;
    }
    Json each = {{"recorded_ns", std::llround(percentile.recorded_ns)},
                 {"simulated_ns", std::llround(percentile.simulated_ns)}};
    if (after) {
      each["after_ns"] = EstimateJson(percentile.after_ns);
      each["gain"] = EstimateJson(percentile.gain);
    }
    json[name] = std::move(each);
  }
  return json;
}

Json RoutesJson(const Prediction& prediction, const RouteTable& routes,
                bool after, Json* refused) {
  Json json = Json::array();
  for (const RouteChange& change : prediction.routes) {
    const bool all = !change.route.has_value();
    json.push_back(
        {{"route", all ? Json(nullptr) : Json(routes.Text(*change.route))},
         {"requests", change.requests},
         {"percentiles",
          PercentilesJson(change, after, all ? refused : nullptr)}});
  }
  return json;
}

double MiddleOf(std::vector<float> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What a request of each route takes in all, on its critical path or beside it:
// nothing of it is waiting for the loop, or for what others have asked before.
struct Demands {
  double requests = 0;
  double execution_ns = 0;
  double wait_ns = 0;
};
std::map<uint32_t, Demands> DemandsOf(const std::vector<LoopModel>& loops) {
  std::map<uint32_t, Demands> demands;
  for (const LoopModel& loop : loops) {
    for (const ModelRequest& request : loop.requests) {
      Demands& of = demands[request.route];
      ++of.requests;
      for (uint32_t i = 0; i < request.jobs; ++i) {
        const Job& job = loop.jobs[request.first_job + i];
        of.execution_ns += job.run_ns();
        of.wait_ns += job.wait_ns();
      }
    }
  }
  return demands;
}

Json DemandsJson(const FitFacts& facts, const RouteTable& routes) {
  Json json = Json::array();
  for (const auto& [route, of] : DemandsOf(*facts.loops)) {
    json.push_back(
        {{"route", routes.Text(route)},
         {"requests", std::llround(of.requests)},
         {"execution_ns", std::llround(of.execution_ns / of.requests)},
         {"wait_ns", std::llround(of.wait_ns / of.requests)}});
  }
  return json;
}

Json LoopJson(const LoopModel& loop) {
  Json cold = Json::array();
  for (const float ns : loop.cold.extra_ns) cold.push_back(std::lround(ns));
  double work_ns = 0;
  for (const Job& job : loop.jobs) work_ns += job.run_ns();
  return {
      {"requests", loop.requests.size()},
      {"jobs", loop.jobs.size()},
      {"work_ns",
       std::llround(work_ns / std::max<double>(1, static_cast<double>(
                                                      loop.requests.size())))},
      {"gap_ns", std::llround(MiddleOf(loop.gaps_ns))},
      {"accept_ns", std::lround(loop.accept_ns)},
      {"wake_ns", std::llround(MiddleOf(loop.wakes_ns))},
      {"cold_ns", std::move(cold)},
      {"others", loop.others.size()},
      {"collections", loop.collections.size()},
      {"pool_threads", loop.pool_threads}};
}

}  // namespace

Json FitJson(const FitFacts& facts, const Prediction& unchanged,
             const RouteTable& routes) {
  Json loops = Json::array();
  for (const LoopModel& loop : *facts.loops) loops.push_back(LoopJson(loop));
  return {{"requests", facts.requests},
          {"left_out", facts.left_out},
          {"loops", std::move(loops)},
          {"seconds", facts.seconds},
          {"utilisation", unchanged.utilisation_before},
          {"capacity", unchanged.capacity_before},
          {"capacity_alone", unchanged.alone_before},
          {"demands", DemandsJson(facts, routes)},
          {"routes", RoutesJson(unchanged, routes, false, nullptr)}};
}

Json RefusedJson(const std::string& name, const std::string& why,
                 const Prediction& unchanged, const RouteTable& routes) {
  return {{"name", name},
          {"utilisation", nullptr},
          {"capacity", nullptr},
          {"capacity_alone", nullptr},
          {"routes", RoutesJson(unchanged, routes, false, nullptr)},
          {"assumed", Json::array()},
          {"refused", {why}}};
}

Json ScenarioJson(const std::string& name, const Prediction& prediction,
                  const RouteTable& routes) {
  Json refused = Json::array();
  const bool steady = prediction.steady();
  if (!steady) {
    const bool line = prediction.utilisation_after <= kMostBusy;
    refused.push_back(absl::StrFormat(
        "%s would be busy for %.0f %% of the time: beyond %.0f %% no latency "
        "can be told",
        line ? "a connection that answers one after the other" : "the loop",
        100 * (line ? prediction.line_after : prediction.utilisation_after),
        100 * kMostBusy));
  }
  Json json = {
      {"name", name},
      {"utilisation",
       {prediction.utilisation_before, prediction.utilisation_after}},
      {"capacity", {prediction.capacity_before, prediction.capacity_after}},
      {"capacity_alone", {prediction.alone_before, prediction.alone_after}},
      {"routes", RoutesJson(prediction, routes, steady, &refused)},
      {"assumed", prediction.assumed}};
  json["refused"] = std::move(refused);
  return json;
}

}  // namespace edgewise
