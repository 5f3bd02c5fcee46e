#include "boost/controller_stats.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json ByLevel(const std::array<T, kLevels>& values) {
  Json json = Json::object();
  for (size_t i = 0; i < kLevels; ++i) {
    json[std::string(kLevelNames[i])] = values[i];
  }
  return json;
}

Json OfReaction(const ReactionTimes& times) {
  return {{"count", times.count()},
          {"p50", times.Quantile(0.5)},
          {"p99", times.Quantile(0.99)},
          {"max", times.max_ns()}};
}

Json EnergyOf(const ControllerStats& stats) {
  Json energy = {
      {"kind", "modelled"},
      {"normalised", ModelledEnergy(stats.residency, stats.frequencies)}};
  if (stats.measured_uj.has_value()) {
    energy["measured_uj"] = *stats.measured_uj;
  } else {
    energy["measured_uj"] = nullptr;
    energy["unavailable"] = stats.energy_unavailable;
  }
  return energy;
}

Json GcCountersOf(const ControllerStats& stats) {
  if (!stats.gc_counters_unavailable.empty()) {
    return {{"ipc", nullptr}, {"unavailable", stats.gc_counters_unavailable}};
  }
  const auto& [collections, instructions, cycles] = stats.gc;
  Json json = {{"collections", collections},
               {"instructions", instructions},
               {"cycles", cycles},
               {"ipc", nullptr}};
  if (cycles > 0) {
    json["ipc"] =
        static_cast<double>(instructions) / static_cast<double>(cycles);
  }
  return json;
}

}  // namespace

std::string ToJson(const ControllerStats& stats) {
  uint64_t boosts = 0;
  Json reasons = Json::object();
  Json reactions = Json::object();
  for (size_t i = 0; i < kReasons; ++i) {
    const ControllerStats::OfReason& of = stats.reasons[i];
    if (of.boosts == 0 && of.boosted_ns == 0) continue;
    boosts += of.boosts;
    const std::string name(kReasonNames[i]);
    reasons[name] = {{"boosts", of.boosts}, {"boosted_ns", of.boosted_ns}};
    reactions[name] = OfReaction(of.reaction);
  }
  const Json json = {{"schema", 1},
                     {"policy", stats.policy},
                     {"actuator", stats.actuator},
                     {"description", stats.description},
                     {"frequencies_khz", ByLevel(stats.frequencies)},
                     {"elapsed_ns", stats.elapsed_ns},
                     {"residency_ns", ByLevel(stats.residency)},
                     {"boosts", boosts},
                     {"reasons", reasons},
                     {"reaction_ns", reactions},
                     {"dropped_signals", stats.dropped_signals},
                     {"set_errors", stats.set_errors},
                     {"last_error", stats.last_error},
                     {"looks", stats.looks},
                     {"controller_cpu_ns", stats.cpu_ns},
                     {"energy", EnergyOf(stats)},
                     {"gc_counters", GcCountersOf(stats)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace edgewise
