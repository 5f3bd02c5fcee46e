#include "compare/sample/memory.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace edgewise {
namespace {

constexpr size_t kMostSteps = 4096;   // of a run
constexpr double kLeastInAStep = 4;   // requests
constexpr double kWindow = 5;         // of the time found so far
constexpr double kMostOfARun = 0.25;  // is looked at

// The mean logarithm of the latencies in each step; one without requests goes
// on as the one before.
std::vector<double> StepsOf(const Run& run, double step_ns) {
  const auto count =
      static_cast<size_t>(static_cast<double>(run.span_ns()) / step_ns);
  std::vector<double> sums(count);
  std::vector<double> counts(count);
  for (const ComparedRequest& request : run.requests) {
    const auto step = static_cast<size_t>(
        static_cast<double>(request.at_ns - run.begin_ns) / step_ns);
    if (step >= count) break;
    sums[step] += std::log(std::max(1.F, request.latency_ns));
    ++counts[step];
  }
  double last = 0;
  double all = 0;
  for (size_t i = 0; i < count; ++i) {
    if (counts[i] > 0) last = sums[i] / counts[i];
    sums[i] = last;
    all += last;
  }
  for (double& sum : sums) sum -= all / static_cast<double>(count);
  return sums;
}

double CorrelatedSteps(const std::vector<double>& steps) {
  double variance = 0;
  for (const double each : steps) variance += each * each;
  if (variance <= 0) return 1;
  double found = 1;
  const auto most =
      static_cast<size_t>(kMostOfARun * static_cast<double>(steps.size()));
  for (size_t lag = 1; lag < most; ++lag) {
    double sum = 0;
    for (size_t i = lag; i < steps.size(); ++i) {
      sum += steps[i] * steps[i - lag];
    }
    found += 2 * sum / variance;
    if (static_cast<double>(lag) >= kWindow * found) break;
  }
  return std::max(1.0, found);
}

}  // namespace

double MemoryNs(const Side& side) {
  double longest_ns = 0;
  for (const Run& run : side.runs) {
    if (run.requests.size() < 2 || run.span_ns() <= 0) continue;
    const auto span_ns = static_cast<double>(run.span_ns());
    const double between_ns =
        span_ns / static_cast<double>(run.requests.size());
    const double step_ns = std::max(kLeastInAStep * between_ns,
                                    span_ns / static_cast<double>(kMostSteps));
    const std::vector<double> steps = StepsOf(run, step_ns);
    if (steps.size() < 8) return span_ns;
    longest_ns = std::max(longest_ns, step_ns * CorrelatedSteps(steps));
  }
  return longest_ns;
}

}  // namespace edgewise
