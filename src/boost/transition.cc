#include "boost/transition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr int kRounds = 9;
constexpr int64_t kTransitionSettleNs =
    8'000'000;  // for the frequency to go down
constexpr int64_t kBaselineNs = 2'000'000;
constexpr int64_t kWatchNs = 25'000'000;
// A chunk is faster by chance when the clocks are read unluckily, not thrice.
constexpr int kInARow = 3;
// Less than this between low and high is not told from noise.
constexpr double kLeastRatio = 1.05;
constexpr int kSteps = 8000;

// A chain of multiplications, each waiting for the one before: its speed is the
// frequency's, whatever the core's other hardware thread does.
double SpinRate() {
  const int64_t begin_ns = MonotonicNs();
  uint64_t value = 1;
  for (int i = 0; i < kSteps; ++i) {
    value *= 6364136223846793005U;
    // Keeps the compiler from folding the chain.
    asm volatile("" : "+r"(value));
  }
  return static_cast<double>(kSteps) /
         static_cast<double>(std::max<int64_t>(MonotonicNs() - begin_ns, 1));
}

double FastestSpin(const TransitionProbes& probes, int64_t for_ns) {
  double fastest = 0;
  const int64_t end_ns = probes.now_ns() + for_ns;
  while (probes.now_ns() < end_ns) fastest = std::max(fastest, probes.spin());
  return fastest;
}

// Nanoseconds until `risen` has held kInARow times, counted to the first;
// nullopt: not within kWatchNs.
template <typename Risen>
std::optional<int64_t> WatchUntil(const TransitionProbes& probes,
                                  Risen&& risen) {
  const int64_t begin_ns = probes.now_ns();
  int in_a_row = 0;
  int64_t first_ns = 0;
  for (int64_t at_ns = begin_ns; at_ns - begin_ns < kWatchNs;
       at_ns = probes.now_ns()) {
    if (!risen()) {
      in_a_row = 0;
      continue;
    }
    if (in_a_row == 0) first_ns = at_ns - begin_ns;
    if (++in_a_row == kInARow) return first_ns;
  }
  return std::nullopt;
}

absl::StatusOr<int64_t> MedianCallNs(const TransitionProbes& probes) {
  std::array<int64_t, size_t{2} * kRounds> calls_ns{};
  for (size_t i = 0; i < calls_ns.size(); ++i) {
    const int64_t begin_ns = probes.now_ns();
    const absl::Status status =
        probes.set(i % 2 == 0 ? Level::kHigh : Level::kLow);
    if (!status.ok()) return status;
    calls_ns[i] = probes.now_ns() - begin_ns;
  }
  std::sort(calls_ns.begin(), calls_ns.end());
  return calls_ns[calls_ns.size() / 2];
}

// Both begin and end at the low level.
absl::StatusOr<std::optional<int64_t>> SeenBySpinning(
    const TransitionProbes& probes, double ratio) {
  FastestSpin(probes, kTransitionSettleNs);
  // Half-way between both speeds, and of the low one the fastest seen: whatever
  // else disturbs a loop slows it.
  const double threshold =
      FastestSpin(probes, kBaselineNs) * (1 + (ratio - 1) / 2);
  const absl::Status high = probes.set(Level::kHigh);
  if (!high.ok()) return high;
  const std::optional<int64_t> seen_ns =
      WatchUntil(probes, [&] { return probes.spin() >= threshold; });
  const absl::Status low = probes.set(Level::kLow);
  if (!low.ok()) return low;
  return seen_ns;
}

absl::StatusOr<std::optional<int64_t>> SeenInDriver(
    const TransitionProbes& probes, uint32_t threshold_khz) {
  FastestSpin(probes, kTransitionSettleNs);
  const uint32_t low_khz = probes.current_khz();
  if (low_khz == 0 || low_khz >= threshold_khz) return std::nullopt;
  const absl::Status high = probes.set(Level::kHigh);
  if (!high.ok()) return high;
  const std::optional<int64_t> seen_ns =
      WatchUntil(probes, [&] { return probes.current_khz() >= threshold_khz; });
  const absl::Status low = probes.set(Level::kLow);
  if (!low.ok()) return low;
  return seen_ns;
}

}  // namespace

TransitionProbes ProbesOfThisThread(std::function<absl::Status(Level)> set,
                                    std::function<uint32_t()> current_khz) {
  return {std::move(set), SpinRate, std::move(current_khz), MonotonicNs};
}

absl::StatusOr<Timing> MeasureTiming(const TransitionProbes& probes,
                                     const Frequencies& frequencies,
                                     int64_t driver_transition_ns) {
  const absl::StatusOr<int64_t> call_ns = MedianCallNs(probes);
  if (!call_ns.ok()) return call_ns.status();
  const uint32_t low_khz = frequencies.front();
  const uint32_t high_khz = frequencies.back();
  if (low_khz > 0 && high_khz > low_khz * kLeastRatio) {
    const auto spun =
        SeenBySpinning(probes, static_cast<double>(high_khz) / low_khz);
    if (!spun.ok()) return spun.status();
    if (spun->has_value()) {
      return Timing{*call_ns, **spun, "measured with a spin loop"};
    }
    const auto shown = SeenInDriver(probes, low_khz + (high_khz - low_khz) / 2);
    if (!shown.ok()) return shown.status();
    if (shown->has_value()) {
      return Timing{*call_ns, std::max(**shown, driver_transition_ns),
                    "as the driver shows it; a spin loop saw no change"};
    }
  }
  if (driver_transition_ns > 0) {
    return Timing{*call_ns, driver_transition_ns,
                  "the driver's word; no change was seen"};
  }
  return Timing{*call_ns, kAssumedTransitionNs,
                "assumed; no change was seen and the driver does not say"};
}

}  // namespace edgewise
