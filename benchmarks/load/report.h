#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "load/mix.h"
#include "load/sample.h"

namespace edgewise::load {

// Exact statistics of a set of durations in ns: from all of them, sorted, not
// from a histogram's buckets.
class Distribution {
 public:
  explicit Distribution(std::vector<int64_t> values_ns);

  size_t count() const { return sorted_ns_.size(); }
  double mean_ns() const { return mean_ns_; }
  double deviation_ns() const { return deviation_ns_; }
  // The smallest value that at least `fraction` (0 to 1) of all do not exceed.
  // 0 when there are none.
  int64_t QuantileNs(double fraction) const;
  int64_t max_ns() const { return sorted_ns_.empty() ? 0 : sorted_ns_.back(); }

 private:
  std::vector<int64_t> sorted_ns_;
  double mean_ns_ = 0;
  double deviation_ns_ = 0;
};

// A run whose lag exceeds this at p99 measured the generator as well.
inline constexpr int64_t kLagLimitNs = 1'000'000;

// How the run was asked for, repeated in its report.
struct RunLabel {
  std::vector<std::string> urls;  // of each server
  std::string mix_name;           // "" when none was given
  bool closed = false;
  double rate_per_s = 0;
  int connections = 0;
  uint64_t seed = 0;
};

// What the summaries print. Covers measured requests only (no warm-up), and
// latencies those that got a complete response, whatever its status.
struct Summary {
  Summary(const RunResult& result, const RunLabel& label, const Mix& mix);

  uint64_t sent_total = 0;      // requests of the whole run, warm-up included
  uint64_t answered_total = 0;  // complete responses, warm-up included
  uint64_t count = 0;           // measured complete responses
  uint64_t errors = 0;
  uint64_t errors_warmup = 0;  // not in `errors`
  uint64_t by_failure[kFailures] = {};
  uint64_t non_2xx = 0;
  uint64_t unexpected = 0;
  double duration_s = 0;
  double offered_rate_per_s = 0;   // measured requests per second
  double achieved_rate_per_s = 0;  // responses per second of that time
  Distribution intended;           // latency from the intended send time
  Distribution actual;             // latency from the actual one
  Distribution lag;                // how late the generator took requests up
  bool lag_flagged = false;

  struct Part {
    std::string name;
    uint64_t count = 0;
    uint64_t errors = 0;
    uint64_t non_2xx = 0;
    uint64_t unexpected = 0;
    Distribution intended;
  };
  std::vector<Part> requests;  // of the mix
  std::vector<Part> servers;   // named by their URLs
};

// One JSON object, documented in docs/load.md.
std::string SummaryJson(const RunLabel& label, const RunResult& result,
                        const Summary& summary);
// The same for people.
std::string SummaryText(const RunLabel& label, const RunResult& result,
                        const Summary& summary);

// HdrHistogram's percentile distribution (.hgrm), values in ms, as its plotters
// read it.
void WriteHgrm(const Distribution& latency, std::ostream& out);

// One CSV row a request, warm-up included (see the `phase` column), in the
// order of the intended times.
void WriteSamples(const RunResult& result, const Mix& mix, std::ostream& out);

}  // namespace edgewise::load
