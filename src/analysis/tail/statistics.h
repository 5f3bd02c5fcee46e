#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/tail/histogram.h"
#include "analysis/timeline/off_timeline.h"

namespace edgewise {

// The latency of one request, or the sum over many, by component: T = io +
// queue + exec (VEE'19, equation 2). exec and queue each hold their garbage
// collection (equation 3), and the time for which the thread did not run; queue
// is divided a second time, by who had the loop.
struct Components {
  enum Index : size_t {
    kLatency,
    kIo,
    kQueue,
    kExec,
    kExecGc,
    kQueueGc,   // queue = gc + loop + not running + the rest, which is native
    kQueueOwn,  // queue = own + other + unowned + loop
    kQueueOther,
    kQueueUnowned,
    kQueueLoop,
    kQueueWake,  // of loop: it slept, and was not yet awake
    kExecJit,    // of the native rest of each, where a recorder measures it
    kExecIc,
    kQueueJit,
    kQueueIc,
    // The thread did not run: in each, by OffCpuKind; and of loop and wake,
    // which hold it.
    kExecOff,
    kQueueOff = kExecOff + kOffCpuKinds,
    kLoopOff = kQueueOff + kOffCpuKinds,
    kWakeOff,
    kCount,
  };
  OffTimes OffAt(Index first) const {
    OffTimes times;
    std::copy_n(ns.begin() + first, kOffCpuKinds, times.ns.begin());
    return times;
  }
  std::array<int64_t, kCount> ns{};
};

// Sums of components over a group of requests.
struct Group {
  uint64_t count = 0;
  std::array<double, Components::kCount> sum_ns{};

  void Add(const Components& components);
  double MeanNs(Components::Index index) const {
    return count == 0 ? 0 : sum_ns[index] / static_cast<double>(count);
  }
};

// Latencies, then (with a threshold taken from them) the tail and the rest.
struct TailStatistics {
  LatencyHistogram latencies;
  int64_t threshold_ns = 0;
  Group tail;
  Group rest;

  void SetThreshold(double percentile) {
    threshold_ns = latencies.Percentile(percentile);
  }
  bool IsTail(int64_t latency_ns) const { return latency_ns >= threshold_ns; }
  void Add(const Components& components);
};

// Statistics of all requests and of each route (by number of a RouteTable).
class LatencyStatistics {
 public:
  void AddLatency(uint32_t route, int64_t latency_ns);
  void SetThresholds(double percentile);
  TailStatistics& all() { return all_; }
  const TailStatistics& all() const { return all_; }
  // Null if no latency of the route was added.
  TailStatistics* Route(uint32_t route);
  const TailStatistics* Route(uint32_t route) const {
    return const_cast<LatencyStatistics*>(this)->Route(route);
  }

 private:
  TailStatistics all_;
  std::vector<std::unique_ptr<TailStatistics>> routes_;
};

}  // namespace edgewise
