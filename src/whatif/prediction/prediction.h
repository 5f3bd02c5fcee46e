#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/stream/progress.h"
#include "whatif/model/model.h"
#include "whatif/prediction/change.h"

namespace edgewise {

inline constexpr std::array<double, 4> kPercentiles = {50, 90, 99, 99.9};

// Beyond it no latency is told: small errors of a demand are large ones of a
// wait.
inline constexpr double kMostBusy = 0.95;

// An estimate with its 90 % interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// What becomes of one percentile of the latency. ns
struct PercentileChange {
  double recorded_ns = 0;
  double simulated_ns = 0;  // of the recording itself: how well the model fits
  Estimate after_ns;        // what another run of that length would show
  Estimate gain;            // after / before - 1
};

struct RouteChange {
  std::optional<uint32_t> route;  // none: all requests
  uint64_t requests = 0;
  std::array<PercentileChange, kPercentiles.size()> percentiles;
};

struct Prediction {
  std::vector<RouteChange> routes;  // the first: all requests
  double utilisation_before = 0;    // of the busiest loop
  double utilisation_after = 0;
  double line_after = 0;       // likewise of the busiest line
  double capacity_before = 0;  // requests a second, of all loops
  double capacity_after = 0;
  // Likewise, had the loops always had a processor: what those that share one
  // took of it is left out.
  double alone_before = 0;
  double alone_after = 0;
  std::vector<std::string> assumed;

  bool steady() const {
    return std::max(utilisation_after, line_after) <= kMostBusy;
  }
};

// Predicts what changes do to recorded loops: each is run again on a virtual
// clock, before and after, over arrivals drawn in blocks from the recording
// (common random numbers: a draw is the same before and after).
class Predictor {
 public:
  struct Options {
    uint32_t replications = 20;
    uint64_t seed = 1;
    // Requests that one replication runs at most; of more, a part is drawn.
    uint64_t most_requests = UINT64_MAX;
    // Once it is cancelled, replications are empty; may be null.
    const AnalysisProgress* progress = nullptr;
  };

  // All outlive it.
  Predictor(const std::vector<LoopModel>* loops, const ModelNames& names,
            const Options& options);

  // `by_route`: also for each route. Errors are those of ApplyChanges.
  absl::StatusOr<Prediction> Predict(const std::vector<Change>& changes,
                                     bool by_route) const;

 private:
  // Sorted latencies, of all requests and of each route.
  struct Latencies {
    std::vector<float> all;
    std::vector<std::vector<float>> routes;
    double utilisation = 0;
    double line_utilisation = 0;
    void Sort();
  };
  Latencies Replicate(const std::vector<ChangedLoop>& loops, uint64_t seed,
                      bool drawn) const;
  double CapacityOf(const std::vector<ChangedLoop>& loops) const;
  double AloneOf(const std::vector<ChangedLoop>& loops, double capacity) const;
  // The recording, changed: simulated as it is, and with demands that another
  // run could as well have had.
  struct Changed {
    Latencies as_recorded;
    Latencies slower;
    std::vector<Latencies> drawn;
  };
  static constexpr double kDemandNoise = 0.03;

  Changed Run(const std::vector<ChangedLoop>& loops) const;
  void Compare(const Changed& after, uint32_t route, RouteChange* change) const;

  const std::vector<LoopModel>* loops_;
  const ModelNames names_;
  const Options options_;
  double part_ = 1;
  Latencies recorded_;  // as measured
  Changed base_;        // by nothing
  double base_capacity_ = 0;
  double base_alone_ = 0;
};

}  // namespace edgewise
