// What recording costs, call by call: ns each, and ns beside the reads of the
// clock that the call contains. One thread records, as an event loop does, and
// the drain thread writes to a real file.

#include <benchmark/benchmark.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/clock.h"
#include "recorder/event_tracker.h"
#include "recorder/ready_watcher.h"
#include "recorder/recorder.h"
#include "recorder/ring.h"

namespace edgewise {
namespace {

// Fits the ring: a full one would be measured refusing.
constexpr int64_t kBatch = int64_t{1} << 15;
constexpr int64_t kCalls = 64 * kBatch;

constexpr char kClockReads[] = "clock_reads";
constexpr char kDropped[] = "dropped";

// A recorder into a file that is gone afterwards, and a tracker on it.
class Recording {
 public:
  Recording() {
    char name[] = "/tmp/edgewise-benchmark-XXXXXX";
    const int fd = mkstemp(name);
    if (fd < 0) return;
    close(fd);
    RecorderConfig config;
    config.path = name;
    config.meta_json = "{}";
    absl::StatusOr<std::unique_ptr<Recorder>> recorder =
        Recorder::Start(std::move(config));
    unlink(name);
    if (!recorder.ok()) return;
    recorder_ = *std::move(recorder);
    tracker_ = std::make_unique<EventTracker>(recorder_.get(), nullptr,
                                              AsyncIds{ids_}, &words_);
    tracker_->PollBegin(Ticks());
    tracker_->PollEnd(/*waited=*/true, Ticks());
  }

  bool ok() const { return tracker_ != nullptr; }
  Recorder& recorder() { return *recorder_; }
  EventTracker& tracker() { return *tracker_; }
  void Execute(double id) { ids_[0] = id; }

  void EnterAgain() { tracker_->EnterJs(loop_); }

  // One read event: what the hooks tell of a callback on a socket.
  void Event(int fd) {
    tracker_->IoBegin(EventType::kTcpRead, fd, true);
    ids_[0] = 20 + fd;
    tracker_->EnterJs(loop_);
    ids_[0] = 0;
  }

 private:
  // No timers, and no JavaScript below.
  struct Loop {
    static int64_t TimersDueNs() { return -1; }
    static int64_t NativeTimerDueNs() { return -1; }
    static bool NativeTimerBegan() { return false; }
    static bool FilesMayWrite(int) { return false; }
    static int PolledFd() { return kNoFd; }
    static bool InJavaScript() { return false; }
  };

  Loop loop_;
  double ids_[4] = {0, 0, 100, -1};
  SharedWords words_{};
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<EventTracker> tracker_;
};

// Runs `call(i)` kCalls times; between batches the ring is emptied untimed.
template <typename Call>
void Measure(benchmark::State& state, int clock_reads, Recording* recording,
             Call call) {
  if (!recording->ok()) return state.SkipWithError("cannot record into /tmp");
  while (state.KeepRunningBatch(kBatch)) {
    for (int64_t i = 0; i < kBatch; ++i) call(i);
    state.PauseTiming();
    if (!recording->recorder().Dump().ok()) state.SkipWithError("cannot write");
    state.ResumeTiming();
  }
  state.counters[kClockReads] = clock_reads;
  state.counters[kDropped] =
      static_cast<double>(recording->recorder().stats().dropped);
}

void ReadClock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Ticks());
  state.counters[kClockReads] = 1;
}
BENCHMARK(ReadClock)->Name("Ticks()");

void RingPush(benchmark::State& state) {
  Ring ring(static_cast<size_t>(2 * kBatch));
  std::vector<Record> taken(static_cast<size_t>(kBatch));
  while (state.KeepRunningBatch(kBatch)) {
    for (int64_t i = 0; i < kBatch; ++i) {
      ring.Push([i](Record& record) { record.aux = static_cast<uint32_t>(i); });
    }
    state.PauseTiming();
    ring.Pop(taken.data(), ring.Readable());
    state.ResumeTiming();
  }
}
BENCHMARK(RingPush)->Name("Ring::Push");

void TrackEvent(benchmark::State& state) {
  Recording recording;
  Measure(state, /*clock_reads=*/1, &recording,
          [&](int64_t i) { recording.Event(static_cast<int>(i & 31)); });
}
BENCHMARK(TrackEvent)->Name("event")->Iterations(kCalls);

// Entries after the first one of an event: the HTTP parser makes several.
void EnterAgain(benchmark::State& state) {
  Recording recording;
  if (recording.ok()) recording.Event(3);
  recording.Execute(23);
  Measure(state, /*clock_reads=*/0, &recording,
          [&](int64_t) { recording.EnterAgain(); });
}
BENCHMARK(EnterAgain)->Name("further entry")->Iterations(kCalls);

void PromiseSlice(benchmark::State& state) {
  Recording recording;
  if (recording.ok()) recording.Event(3);
  Measure(state, /*clock_reads=*/1, &recording, [&](int64_t i) {
    recording.tracker().SliceFromPromise(static_cast<uint64_t>(i));
  });
}
BENCHMARK(PromiseSlice)->Name("slice")->Iterations(kCalls);

void TrackRequest(benchmark::State& state) {
  Recording recording;
  if (recording.ok()) recording.Event(3);
  Measure(state, /*clock_reads=*/2, &recording, [&](int64_t i) {
    const uint32_t id = recording.tracker().RequestStart(RequestKind::kHttp1);
    benchmark::DoNotOptimize(
        recording.tracker().RequestEnd(id, 1, 200, Outcome::kFinished));
    // A second request of one event would begin a slice.
    if ((i & 3) == 3) recording.Event(3);
  });
}
BENCHMARK(TrackRequest)->Name("request start + end")->Iterations(kCalls);

void AskWatcher(benchmark::State& state) {
  auto watcher = ReadyWatcher::Start(/*interval_ns=*/100'000, nullptr);
  int ends[2];
  if (!watcher.ok() || pipe(ends) != 0) {
    return state.SkipWithError("no watcher, or no pipe");
  }
  (*watcher)->Watch(ends[0]);
  for (auto _ : state) {
    benchmark::DoNotOptimize((*watcher)->ReadySince(ends[0]));
  }
  state.counters[kClockReads] = 0;
  watcher->reset();
  close(ends[0]);
  close(ends[1]);
}
BENCHMARK(AskWatcher)->Name("ReadyWatcher::ReadySince");

double NsPerClockRead() {
  // Short rounds: the best one was not interrupted.
  constexpr int kReads = 1 << 12;
  double best = 1e9;
  for (int round = 0; round < 500; ++round) {
    const int64_t begin = MonotonicNs();
    for (int i = 0; i < kReads; ++i) benchmark::DoNotOptimize(Ticks());
    best = std::min(best, static_cast<double>(MonotonicNs() - begin) / kReads);
  }
  return best;
}

// Adds the column: what a call costs beside its reads of the clock.
class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(OO_Tabular), read_ns_(NsPerClockRead()) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shown = runs;
    for (Run& run : shown) {
      const auto reads = run.counters.find(kClockReads);
      if (reads == run.counters.end()) continue;
      run.counters["ns_beside_clock"] =
          run.GetAdjustedCPUTime() - reads->second.value * read_ns_;
    }
    ConsoleReporter::ReportRuns(shown);
  }

 private:
  const double read_ns_;
};

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  edgewise::Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
