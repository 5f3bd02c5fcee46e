#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/stream/event_stream.h"
#include "analysis/stream/request_routes.h"
#include "analysis/stream/route_filter.h"
#include "analysis/stream/route_table.h"
#include "analysis/tail/statistics.h"

namespace edgewise {

// Which request: its file, and its number in the order of starts there.
struct RequestKey {
  uint32_t file;
  uint64_t ordinal;
  bool operator==(const RequestKey&) const = default;
};

// The requests with the largest latencies, a fixed number of them.
class SlowestRequests {
 public:
  struct Entry {
    int64_t latency_ns;
    RequestKey key;
  };

  explicit SlowestRequests(size_t limit) : limit_(limit) {}
  void Offer(int64_t latency_ns, RequestKey key);
  // Slowest first; of equals the earlier.
  std::vector<Entry> Sorted() const;

 private:
  size_t limit_;
  std::vector<Entry> heap_;  // the least slow on top
};

// The first pass over a file: latencies only, for the thresholds that divide
// tail from rest; and what each request is called.
struct LatencyPassOptions {
  uint32_t file = 0;
  RouteFilter routes;   // only these count
  int64_t skip_ns = 0;  // requests so soon after the file's first do not count
};
void RunLatencyPass(EventStream* stream, const LatencyPassOptions& options,
                    RouteTable* routes, RequestRoutes* request_routes,
                    LatencyStatistics* statistics, SlowestRequests* slowest);

}  // namespace edgewise
