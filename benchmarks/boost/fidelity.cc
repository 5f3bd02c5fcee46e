// How true the emulated frequency is: the rate of a spin loop at each level
// against the full speed, how even it is, and how soon the loop sees a change.

#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "benchmarks/boost/spin_loop.h"
#include "boost/actuator/emulated_actuator.h"
#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kWindowNs = 1'000'000;
constexpr int64_t kMs = 1'000'000;
// So long before and after a change nothing else is asked for.
constexpr int64_t kSettleNs = 2 * kMs;

struct Options {
  double seconds = 1;  // at each level
  int rounds = 4;
  int transitions = 100;  // in each direction, for each delay
  std::vector<int64_t> delays_us = {0, 50, 500, 5000};
};

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at =
      static_cast<size_t>(share * static_cast<double>(values.size()));
  return values[std::min(at, values.size() - 1)];
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

// Full speed before, between and after: the machine's own may drift.
absl::StatusOr<Json> MeasureRates(const Options& options) {
  const auto slice_ns =
      static_cast<int64_t>(1e9 * options.seconds / options.rounds);
  std::vector<double> full;
  std::vector<double> windows[kLevels];
  Json result;
  Frequencies frequencies;
  for (int round = 0; round < options.rounds; ++round) {
    absl::StatusOr<std::unique_ptr<Actuator>> actuator =
        MakeEmulatedActuator({});
    if (!actuator.ok()) return actuator.status();
    frequencies = (*actuator)->frequencies();
    result["description"] = (*actuator)->description();
    result["call_ns"] = (*actuator)->call_ns();
    for (size_t i = 0; i < kLevels; ++i) {
      const absl::Status set = (*actuator)->Set(static_cast<Level>(i));
      if (!set.ok()) return set;
      for (double units : UnitsByWindow(slice_ns, kWindowNs)) {
        windows[i].push_back(units);
      }
    }
    actuator->reset();
    for (double units : UnitsByWindow(slice_ns, kWindowNs)) {
      full.push_back(units);
    }
  }
  const double full_speed = Mean(full);
  for (size_t i = 0; i < kLevels; ++i) {
    const auto relative = [&](double units) { return units / full_speed; };
    result["levels"].push_back(
        {{"level", std::string(kLevelNames[i])},
         {"khz", frequencies[i]},
         {"ideal", static_cast<double>(frequencies[i]) / frequencies[2]},
         {"rate", relative(Mean(windows[i]))},
         {"p1", relative(Quantile(windows[i], 0.01))},
         {"p50", relative(Quantile(windows[i], 0.5))},
         {"p99", relative(Quantile(windows[i], 0.99))}});
  }
  result["window_us"] = kWindowNs / 1000;
  result["windows"] = windows[0].size();
  return result;
}

struct Change {
  int64_t asked_ns;
  bool up;
};

// Asks from another thread, as a controller does, at times that the thief's
// period knows nothing of.
std::vector<Change> AskNowAndThen(Actuator* actuator, int count,
                                  int64_t delay_ns) {
  std::vector<Change> changes;
  uint64_t random = 1;
  for (int i = 0; i < 2 * count; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    SleepNs(delay_ns + kSettleNs + static_cast<int64_t>(random >> 44));
    changes.push_back({MonotonicNs(), i % 2 == 0});
    // The emulated actuator's Set() does not fail.
    (void)actuator->Set(i % 2 == 0 ? Level::kHigh : Level::kLow);
  }
  SleepNs(delay_ns + kSettleNs);
  return changes;
}

// A boost is there when nothing is stolen any more, its end with the first
// steal after it.
void Seen(const std::vector<Change>& changes, const std::vector<Gap>& gaps,
          int64_t delay_ns, std::vector<double>* up,
          std::vector<double>* down) {
  for (const Change& change : changes) {
    const int64_t until_ns = change.asked_ns + delay_ns + kSettleNs;
    int64_t last_end_ns = change.asked_ns;
    int64_t first_begin_ns = 0;
    for (const Gap& gap : gaps) {
      if (gap.end_ns < change.asked_ns || gap.begin_ns > until_ns) continue;
      // What others take after the transition is not the thief's.
      if (gap.begin_ns <= change.asked_ns + delay_ns) last_end_ns = gap.end_ns;
      if (first_begin_ns == 0 && gap.begin_ns >= change.asked_ns + delay_ns) {
        first_begin_ns = gap.begin_ns;
      }
    }
    if (change.up) {
      up->push_back(static_cast<double>(last_end_ns - change.asked_ns));
    } else if (first_begin_ns != 0) {
      down->push_back(static_cast<double>(first_begin_ns - change.asked_ns));
    }
  }
}

Json Distribution(const std::vector<double>& ns) {
  return {{"count", ns.size()},
          {"p50", Quantile(ns, 0.5)},
          {"p99", Quantile(ns, 0.99)},
          {"max", Quantile(ns, 1)}};
}

absl::StatusOr<Json> MeasureTransitions(int64_t delay_us, int count) {
  const int64_t delay_ns = 1000 * delay_us;
  absl::StatusOr<std::unique_ptr<Actuator>> actuator =
      MakeEmulatedActuator({.emulated_delay_ns = delay_ns});
  if (!actuator.ok()) return actuator.status();
  std::atomic<bool> stop{false};
  std::vector<Change> changes;
  cpu_set_t elsewhere;
  std::memset(&elsewhere, 0xff, sizeof(elsewhere));
  CPU_CLR(sched_getcpu(), &elsewhere);
  absl::StatusOr<HelperThread> asker = HelperThread::Start("asker", [&] {
    // On the loop's processor it could ask between steals only.
    sched_setaffinity(0, sizeof(elsewhere), &elsewhere);
    UsePreciseSleep();
    changes = AskNowAndThen(actuator->get(), count, delay_ns);
    stop.store(true, std::memory_order_relaxed);
  });
  if (!asker.ok()) return asker.status();
  const std::vector<Gap> gaps = WatchForGaps(stop);
  asker->join();
  std::vector<double> up;
  std::vector<double> down;
  Seen(changes, gaps, delay_ns, &up, &down);
  return Json{{"delay_us", delay_us},
              {"up_ns", Distribution(up)},
              {"down_ns", Distribution(down)}};
}

absl::Status Measure(const Options& options) {
  absl::StatusOr<Json> result = MeasureRates(options);
  if (!result.ok()) return result.status();
  for (const int64_t delay_us : options.delays_us) {
    absl::StatusOr<Json> transitions =
        MeasureTransitions(delay_us, options.transitions);
    if (!transitions.ok()) return transitions.status();
    (*result)["transitions"].push_back(*std::move(transitions));
  }
  std::cout << result->dump(2) << '\n';
  return absl::OkStatus();
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) {
  edgewise::Options options;
  CLI::App app{"How true the emulated frequency is; JSON on stdout."};
  app.add_option("--seconds", options.seconds, "at each level")
      ->check(CLI::Range(0.01, 3600.0));
  app.add_option("--rounds", options.rounds, "that the levels take turns in")
      ->check(CLI::Range(1, 1000));
  app.add_option("--transitions", options.transitions,
                 "in each direction, for each delay")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--delays", options.delays_us, "of transitions, us")
      ->delimiter(',')
      ->check(CLI::Range(0, 1'000'000));
  CLI11_PARSE(app, argc, argv);
  const absl::Status measured = edgewise::Measure(options);
  if (measured.ok()) return 0;
  std::cerr << measured.message() << '\n';
  return 1;
}
