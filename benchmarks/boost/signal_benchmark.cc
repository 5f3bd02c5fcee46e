// What boosting costs an event loop that gives it nothing to do: ns for each
// signal, the reads of the clock included. The loop is never idle, as in a
// server at saturation, and the controller's thread runs beside it.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "boost/actuator.h"
#include "boost/controller.h"
#include "boost/policy.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// A server at saturation finds so many files ready each time.
constexpr uint32_t kBatch = 16;

std::unique_ptr<Controller> StartController(const std::string& policies) {
  auto actuator = MakeActuator({.name = "none"});
  auto policy = MakePolicy(policies, PolicyConfig{});
  if (!actuator.ok() || !policy.ok()) return nullptr;
  return std::make_unique<Controller>(*std::move(policy), *std::move(actuator),
                                      ControllerConfig{});
}

void Signals(benchmark::State& state, const std::string& policies) {
  const std::unique_ptr<Controller> controller = StartController(policies);
  if (controller == nullptr) {
    state.SkipWithError("no such policy");
    return;
  }
  for (auto _ : state) {
    controller->Note(
        {.kind = SignalKind::kLoopIdle, .now_ns = MonotonicTickNs()});
    const int64_t now_ns = MonotonicTickNs();
    controller->Note(
        {.kind = SignalKind::kLoopBusy, .value = kBatch, .now_ns = now_ns});
    controller->Post({.kind = SignalKind::kEventBegin, .now_ns = now_ns});
    for (uint32_t i = 1; i < kBatch; ++i) controller->NoteBegin(Ticks());
  }
  state.SetItemsProcessed(state.iterations() * (kBatch + 2));
  const ControllerStats stats = controller->stats();
  state.counters["boosts"] = static_cast<double>(
      stats.reasons[static_cast<size_t>(Reason::kQueue)].boosts +
      stats.reasons[static_cast<size_t>(Reason::kHead)].boosts);
  state.counters["dropped"] = static_cast<double>(stats.dropped_signals);
}

void ReadOfTheClock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(MonotonicTickNs());
}

BENCHMARK(ReadOfTheClock);
BENCHMARK_CAPTURE(Signals, gc, "gc");
BENCHMARK_CAPTURE(Signals, gc_queue, "gc,queue");
BENCHMARK_CAPTURE(Signals, slo, "slo");

}  // namespace
}  // namespace edgewise

BENCHMARK_MAIN();
