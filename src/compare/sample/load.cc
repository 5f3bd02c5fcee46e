#include "compare/sample/load.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace edgewise {
namespace {

constexpr double kNearly = 0.9;  // of the most

// Time by how many requests were in flight, ns.
std::vector<double> TimeByCount(const Run& run) {
  std::vector<std::pair<int64_t, int>> changes;
  changes.reserve(2 * run.requests.size());
  for (const ComparedRequest& request : run.requests) {
    changes.emplace_back(request.at_ns, 1);
    changes.emplace_back(
        request.at_ns + static_cast<int64_t>(request.latency_ns), -1);
  }
  std::sort(changes.begin(), changes.end());
  std::vector<double> ns(1);
  size_t now = 0;
  int64_t since_ns = run.begin_ns;
  for (const auto& [at_ns, change] : changes) {
    ns[now] += static_cast<double>(std::max<int64_t>(0, at_ns - since_ns));
    since_ns = std::max(since_ns, at_ns);
    now += static_cast<size_t>(change);
    if (now >= ns.size()) ns.resize(now + 1);
  }
  return ns;
}

}  // namespace

Load LoadOf(const Side& side) {
  Load load;
  double span_ns = 0;
  double in_flight_ns = 0;
  double at_most_ns = 0;
  double bytes = 0;
  double sized = 0;
  for (const Run& run : side.runs) {
    const std::vector<double> time = TimeByCount(run);
    const double nearly = kNearly * static_cast<double>(time.size() - 1);
    for (size_t count = 0; count < time.size(); ++count) {
      span_ns += time[count];
      in_flight_ns += static_cast<double>(count) * time[count];
      if (static_cast<double>(count) >= nearly) at_most_ns += time[count];
    }
    for (const ComparedRequest& request : run.requests) {
      if (request.bytes < 0) continue;
      bytes += double{request.bytes};
      ++sized;
    }
  }
  if (span_ns <= 0) return load;
  load.rate = 1e9 * static_cast<double>(side.requests()) / span_ns;
  load.in_flight = in_flight_ns / span_ns;
  load.at_most = at_most_ns / span_ns;
  if (sized > 0) load.bytes = bytes / sized;
  return load;
}

}  // namespace edgewise
