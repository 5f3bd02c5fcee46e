#pragma once

#include <v8.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "platform/thread.h"
#include "recorder/event_tracker.h"
#include "recorder/recorder.h"
#include "recorder/stacks/stack_table.h"

namespace edgewise {

// Samples the JavaScript stack of one isolate's thread while its loop is busy.
// A helper thread asks V8 to interrupt itself; the thread describes its stack
// when it next looks, and writes it down as a record. No profiler of V8's:
// that stops a server for hundreds of ms when it starts, and it misses frames
// that were inlined. Isolate's thread only.
class StackSampler {
 public:
  // Samples every `period_ns` on average, and every millisecond in an event
  // that has run for longer than kLongNs. `tracker` and `recorder` outlive it.
  // Unavailable: there is no thread for the helper.
  static absl::StatusOr<std::unique_ptr<StackSampler>> Start(
      v8::Isolate* isolate, const EventTracker* tracker, Recorder* recorder,
      int64_t period_ns);

  ~StackSampler();
  StackSampler(const StackSampler&) = delete;
  StackSampler& operator=(const StackSampler&) = delete;

  static constexpr int64_t kLongNs = 2'000'000;
  static constexpr int64_t kLongPeriodNs = 1'000'000;
  static constexpr int kMaxFrames = 64;

 private:
  // What was asked of V8 cannot be taken back: it outlives the sampler.
  struct Question;

  StackSampler(v8::Isolate* isolate, const EventTracker* tracker,
               Recorder* recorder, int64_t period_ns);

  void AskLoop();
  bool Pause(int64_t ns);
  bool Ask(uint64_t now, uint64_t since);
  void Answer();
  uint32_t StackNow();
  uint32_t Describe();
  static void OnInterrupt(v8::Isolate* isolate, void* question);
  static void OnGcEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void*);

  v8::Isolate* const isolate_;
  const EventTracker* const tracker_;
  Recorder* const recorder_;
  const int64_t period_ns_;

  // Isolate's thread.
  StackTable table_;
  // By a hash of the program counters on the stack, until code moves.
  absl::flat_hash_map<uint64_t, uint32_t> known_;
  uint64_t moves_ = 0;  // so often it has

  // The helper's, but while `asked_` is set the isolate's thread's; ticks.
  uint64_t asked_ticks_ = 0;
  uint64_t stands_for_ = 0;  // how long before that nothing was asked
  uint64_t answer_lag_ = 0;
  uint64_t cost_ = 0;  // of the last answer
  std::atomic<bool> asked_{false};

  Question* question_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // under mutex_
  HelperThread helper_;
};

}  // namespace edgewise
