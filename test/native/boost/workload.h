#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "boost/signal.h"

namespace edgewise {

// Work is in ns at the low level.
struct SimulatedRequest {
  int64_t arrival_ns = 0;
  uint32_t route = 0;
  std::vector<int64_t> events_ns;  // work of each of its events
  std::vector<int64_t> io_ns;      // between them
};

// A collection that comes when the loop has done so much work.
struct SimulatedGc {
  int64_t at_work_ns = 0;
  GcKind kind = GcKind::kScavenge;
  int64_t work_ns = 0;
};

struct Workload {
  std::vector<SimulatedRequest> requests;  // by arrival
  std::vector<SimulatedGc> gcs;            // by at_work_ns
  // The ends of I/O come on one connection: a read brings all that are there.
  bool one_connection = false;
};

struct RouteShape {
  double share;      // of the requests
  double mean_ms;    // work of a request
  double sigma;      // of the lognormal distribution of its work
  int events = 1;    // into which the work is divided
  double io_ms = 0;  // mean (exponential) between two of them
};

struct WorkloadShape {
  std::vector<RouteShape> routes;
  double load = 0.6;  // of the low level, collections included
  double seconds = 60;
  // Bursts: for `burst_ms` every `burst_every_ms` (means) requests come
  // `burst` times as often. 1: plain Poisson.
  double burst = 1;
  double burst_ms = 40;
  double burst_every_ms = 1000;
  // A scavenge for each so much work, a mark-sweep for each so much.
  double scavenge_every_ms = 20;
  double scavenge_ms = 0.8;
  double mark_sweep_every_ms = 1500;
  double mark_sweep_ms = 20;
  bool one_connection = false;
};

// Made from a shape and a seed: the same for every policy.
class WorkloadMaker {
 public:
  WorkloadMaker(const WorkloadShape& shape, uint32_t seed)
      : shape_(shape), random_(seed) {}

  Workload Make() {
    double mean_ms = 0;
    for (const RouteShape& route : shape_.routes) {
      mean_ms += route.share * route.mean_ms;
    }
    const double gc_part = shape_.scavenge_ms / shape_.scavenge_every_ms +
                           shape_.mark_sweep_ms / shape_.mark_sweep_every_ms;
    const double in_burst = shape_.burst_ms / shape_.burst_every_ms;
    const double rate_per_ms = shape_.load / (1 + gc_part) / mean_ms /
                               (1 + in_burst * (shape_.burst - 1));
    Workload workload;
    workload.one_connection = shape_.one_connection;
    AddRequests(rate_per_ms, &workload);
    const double work_ms = shape_.load * shape_.seconds * 2e3;
    AddGcs(GcKind::kScavenge, shape_.scavenge_every_ms, shape_.scavenge_ms,
           work_ms, &workload);
    AddGcs(GcKind::kMarkSweepCompact, shape_.mark_sweep_every_ms,
           shape_.mark_sweep_ms, work_ms, &workload);
    std::sort(workload.gcs.begin(), workload.gcs.end(),
              [](const SimulatedGc& a, const SimulatedGc& b) {
                return a.at_work_ns < b.at_work_ns;
              });
    return workload;
  }

 private:
  static int64_t Ns(double ms) { return static_cast<int64_t>(ms * 1e6); }

  double Exponential(double mean) {
    return std::exponential_distribution<double>(1 / mean)(random_);
  }

  double Lognormal(double mean, double sigma) {
    return std::lognormal_distribution<double>(
        std::log(mean) - sigma * sigma / 2, sigma)(random_);
  }

  void AddRequests(double rate_per_ms, Workload* workload) {
    bool burst = false;
    double change_ms = Exponential(shape_.burst_every_ms - shape_.burst_ms);
    for (double now_ms = 0; now_ms < shape_.seconds * 1e3;) {
      const double gap_ms =
          Exponential(1 / (rate_per_ms * (burst ? shape_.burst : 1)));
      if (now_ms + gap_ms >= change_ms) {  // exponential: no memory
        now_ms = change_ms;
        burst = !burst;
        change_ms += Exponential(
            burst ? shape_.burst_ms : shape_.burst_every_ms - shape_.burst_ms);
        continue;
      }
      now_ms += gap_ms;
      workload->requests.push_back(Request(Ns(now_ms)));
    }
  }

  SimulatedRequest Request(int64_t arrival_ns) {
    double at = std::uniform_real_distribution<double>(0, 1)(random_);
    size_t i = 0;
    while (i + 1 < shape_.routes.size() && at >= shape_.routes[i].share) {
      at -= shape_.routes[i++].share;
    }
    const RouteShape& route = shape_.routes[i];
    SimulatedRequest request;
    request.arrival_ns = arrival_ns;
    request.route = static_cast<uint32_t>(i + 1);
    for (int event = 0; event < route.events; ++event) {
      request.events_ns.push_back(
          Ns(Lognormal(route.mean_ms / route.events, route.sigma)));
      if (event > 0) request.io_ns.push_back(Ns(Exponential(route.io_ms)));
    }
    return request;
  }

  void AddGcs(GcKind kind, double every_ms, double mean_ms, double until_ms,
              Workload* workload) {
    if (mean_ms == 0) return;
    std::uniform_real_distribution<double> gap(0.7 * every_ms, 1.3 * every_ms);
    for (double at_ms = gap(random_); at_ms < until_ms; at_ms += gap(random_)) {
      workload->gcs.push_back({Ns(at_ms), kind, Ns(Lognormal(mean_ms, 0.3))});
    }
  }

  const WorkloadShape shape_;
  std::mt19937 random_;
};

}  // namespace edgewise
