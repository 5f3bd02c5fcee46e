#include "compare/verdict/comparison_json.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

Json NumberJson(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// {value, low, high}
Json DifferenceJson(const Difference& difference) {
  if (!std::isfinite(difference.value)) return nullptr;
  return {{"value", difference.value},
          {"low", NumberJson(difference.low)},
          {"high", NumberJson(difference.high)}};
}

const char* PartName(LatencyPart part) {
  constexpr std::array<const char*, kLatencyParts> kNames = {
      "io", "queue", "execution", "gc", "not_running"};
  return kNames[static_cast<size_t>(part)];
}

Json PercentilesJson(const Comparison& comparison) {
  Json percentiles = Json::object();
  for (const PercentileDifference& each : comparison.percentiles) {
    percentiles[absl::StrCat("p", each.percentile)] = {
        {"a_ns", NumberJson(each.a_ns)},
        {"b_ns", NumberJson(each.b_ns)},
        {"change", DifferenceJson(each.ratio)},
        {"a_a", DifferenceJson(each.same)},
        {"standardised", DifferenceJson(each.standardised)},
        {"by_connection", DifferenceJson(each.by_client)},
        {"smallest", NumberJson(each.smallest)}};
  }
  return percentiles;
}

Json WhyJson(const Why& why, const SideNames& names) {
  Json parts = Json::array();
  for (const PartDifference& part : why.parts) {
    Json details = Json::array();
    for (const DetailDifference& each : why.details) {
      if (each.part != part.part) continue;
      const bool others = each.detail == DetailDifference::kOthers;
      details.push_back(
          {{"name", others ? "(others)" : names.details[each.detail].name},
           {"a_ns", NumberJson(each.a_ns)},
           {"b_ns", NumberJson(each.b_ns)},
           {"change_ns", DifferenceJson(each.ns)}});
    }
    parts.push_back({{"part", PartName(part.part)},
                     {"a_ns", NumberJson(part.a_ns)},
                     {"b_ns", NumberJson(part.b_ns)},
                     {"change_ns", DifferenceJson(part.ns)},
                     {"details", std::move(details)}});
  }
  return parts;
}

Json LoadJson(const Load& load) {
  return {{"requests_per_s", load.rate},
          {"in_flight", load.in_flight},
          {"bytes", load.bytes < 0 ? Json(nullptr) : Json(load.bytes)}};
}

Json MixtureJson(const Comparison& comparison, const SideNames& names) {
  Json shares = Json::array();
  for (const RouteShare& each : comparison.shares) {
    shares.push_back(
        {{"route", names.routes[each.route]}, {"a", each.a}, {"b", each.b}});
  }
  return {{"rate", DifferenceJson(comparison.rate)},
          {"a", LoadJson(comparison.a_load)},
          {"b", LoadJson(comparison.b_load)},
          {"largest", comparison.mixture},
          {"shares", std::move(shares)}};
}

Json RoutesJson(const Comparison& comparison, const SideNames& names) {
  Json routes = Json::array();
  for (const RouteDifference& each : comparison.routes) {
    routes.push_back({{"route", names.routes[each.route]},
                      {"a_requests", each.a_requests},
                      {"b_requests", each.b_requests},
                      {"p50", DifferenceJson(each.median)},
                      {"p99", DifferenceJson(each.p99)},
                      {"chance", NumberJson(each.chance)}});
  }
  return routes;
}

Json SideJson(uint64_t requests, uint64_t blocks, uint64_t clients) {
  return {{"requests", requests},
          {"blocks", blocks},
          {"connections", clients == 0 ? Json(nullptr) : Json(clients)}};
}

}  // namespace

Json ComparisonJson(const Comparison& comparison, const SideNames& names) {
  Json shift = Json::array();
  for (const ShiftPoint& point : comparison.shift) {
    shift.push_back(
        {{"share", point.share}, {"change", DifferenceJson(point.ratio)}});
  }
  return {{"a", SideJson(comparison.a_requests, comparison.a_blocks,
                         comparison.a_clients)},
          {"b", SideJson(comparison.b_requests, comparison.b_blocks,
                         comparison.b_clients)},
          {"concurrent", comparison.concurrent},
          {"second_a", comparison.second},
          {"memory_ns", comparison.memory_ns},
          {"block_ns", comparison.block_ns},
          {"refused", comparison.refused},
          {"untold", comparison.untold},
          {"percentiles", PercentilesJson(comparison)},
          {"routes", RoutesJson(comparison, names)},
          {"why", WhyJson(comparison.all, names)},
          {"why_tail", WhyJson(comparison.tail, names)},
          {"mixture", MixtureJson(comparison, names)},
          {"shift", std::move(shift)}};
}

}  // namespace edgewise
