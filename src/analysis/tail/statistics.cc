#include "analysis/tail/statistics.h"

namespace edgewise {

void Group::Add(const Components& components) {
  ++count;
  for (size_t i = 0; i < components.ns.size(); ++i) {
    sum_ns[i] += static_cast<double>(components.ns[i]);
  }
}

void TailStatistics::Add(const Components& components) {
  const bool in_tail = IsTail(components.ns[Components::kLatency]);
  (in_tail ? tail : rest).Add(components);
}

void LatencyStatistics::AddLatency(uint32_t route, int64_t latency_ns) {
  all_.latencies.Add(latency_ns);
  if (route >= routes_.size()) routes_.resize(route + 1);
  if (routes_[route] == nullptr) {
    routes_[route] = std::make_unique<TailStatistics>();
  }
  routes_[route]->latencies.Add(latency_ns);
}

void LatencyStatistics::SetThresholds(double percentile) {
  all_.SetThreshold(percentile);
  for (const auto& route : routes_) {
    if (route != nullptr) route->SetThreshold(percentile);
  }
}

TailStatistics* LatencyStatistics::Route(uint32_t route) {
  return route < routes_.size() ? routes_[route].get() : nullptr;
}

}  // namespace edgewise
