#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "compare/sample/side.h"

namespace edgewise {

// How a side is made.
struct SideSpec {
  uint64_t seed = 1;
  double seconds = 60;
  double per_second = 200;
  double memory_s = 0.05;  // of what all latencies have in common
  double common = 0.3;     // its standard deviation, of the logarithm
  double own = 0.4;        // of what each has besides
  double slower = 1;       // that many times
  double heavy = 0.3;   // share of the route 2, which takes four times as long
  double outliers = 0;  // share of requests that take a hundred times as long
  double pauses_per_s =
      0;  // of the loop, at even times: who comes in one waits
  double pause_s = 0;
  int64_t begin_ns = 1'700'000'000'000'000'000;
};

// Requests of two routes whose latencies remember those before (an
// autoregressive process), as of a loop that is busy now and then.
inline Side MadeSide(const SideSpec& spec) {
  constexpr double kMedianNs = 2e6;
  std::mt19937_64 random(spec.seed);
  std::exponential_distribution<double> gap(spec.per_second);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Run run;
  run.begin_ns = spec.begin_ns;
  run.end_ns = spec.begin_ns + static_cast<int64_t>(spec.seconds * 1e9);
  double common = normal(random);
  double at_s = 0;
  while (true) {
    const double step_s = gap(random);
    at_s += step_s;
    if (at_s >= spec.seconds) break;
    const double kept = std::exp(-step_s / spec.memory_s);
    common = kept * common + std::sqrt(1 - kept * kept) * normal(random);
    const bool heavy = uniform(random) < spec.heavy;
    double latency_ns =
        kMedianNs * (heavy ? 4 : 1) * spec.slower *
        std::exp(spec.common * common + spec.own * normal(random));
    if (uniform(random) < spec.outliers) latency_ns *= 100;
    if (spec.pauses_per_s > 0) {
      const double since_s = std::fmod(at_s, 1 / spec.pauses_per_s);
      latency_ns += 1e9 * std::max(0.0, spec.pause_s - since_s);
    }
    const auto ns = static_cast<float>(latency_ns);
    run.requests.push_back({spec.begin_ns + static_cast<int64_t>(at_s * 1e9),
                            ns,
                            heavy ? 2U : 1U,
                            0,
                            {ns / 2, ns / 4, ns / 4, 0, 0}});
  }
  Side side;
  side.runs.push_back(std::move(run));
  return side;
}

}  // namespace edgewise
