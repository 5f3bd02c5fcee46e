#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "live/exponential_histogram.h"
#include "live/followed_trace.h"
#include "platform/thread.h"
#include "trace/names.h"
#include "trace/record.h"

namespace edgewise {

// Of requests as wholes, finer: the tail is read from it.
using LatencyBuckets = ExponentialHistogram<-14, 4, 2>;
using PartBuckets = ExponentialHistogram<-14, 4, 1>;

// What requests took since they are followed, by route: the components of their
// critical paths (VEE'19, equation 2) and how long each occupied the loop, with
// other things at the same time.
struct RouteMetrics {
  LatencyBuckets duration;
  PartBuckets io;
  PartBuckets queueing;
  PartBuckets execution;
  PartBuckets loop;
  uint64_t failed = 0;   // of those in the histograms
  uint64_t aborted = 0;  // not in them
};

// Of the loop, whoever's its events were.
struct LoopMetrics {
  PartBuckets events;
  PartBuckets queueing;  // of events whose ready time is known
  std::array<PartBuckets, kGcTypes> pauses;
};

// Analyses what one thread records while it records: a thread of its own
// follows the trace and adds each request, when it has ended, to histograms.
// Beyond kMaxRoutes the later routes share one entry. Memory: that of open
// requests.
class LiveMetrics {
 public:
  static constexpr size_t kMaxRoutes = 50;

  LiveMetrics() = default;
  ~LiveMetrics() { Stop(); }
  LiveMetrics(const LiveMetrics&) = delete;
  LiveMetrics& operator=(const LiveMetrics&) = delete;

  // Goes on with this trace, and no more with the one before. NotFound and
  // others: it cannot be read; Unavailable: there is no thread to be had.
  absl::Status Follow(const std::string& path);
  void Stop();

  // {"bounds": {"duration": [s...], "part": [s...]}, "routes": [{"route",
  // "failed", "aborted", "duration", "io", "queueing", "execution",
  // "loop"}...], "loop": {"events", "queueing", "pauses": {TYPE: ...}},
  // "lost"}; each histogram is {"counts": [of each bucket], "sum_ns"}.
  std::string Json();

 private:
  class Follower;

  std::mutex mutex_;
  std::map<std::string, RouteMetrics> routes_;  // under mutex_
  LoopMetrics loop_;                            // likewise
  uint64_t lost_ = 0;  // likewise: requests of which records are missing
  std::unique_ptr<FollowedTrace> trace_;
  HelperThread thread_;
};

}  // namespace edgewise
