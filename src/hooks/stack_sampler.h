#pragma once

#include <v8.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "hooks/native_modules.h"
#include "hooks/physical_stack.h"
#include "hooks/script_stack.h"
#include "platform/native_look.h"
#include "platform/thread.h"
#include "recorder/event_tracker.h"
#include "recorder/recorder.h"
#include "recorder/stacks/stack_table.h"
#include "recorder/stacks/stall_watch.h"
#include "trace/burst.h"

namespace edgewise {

// Samples the JavaScript stack of one isolate's thread while its loop is busy.
// A helper thread asks V8 to interrupt itself; the thread describes its stack
// when it next looks, and writes it down as a record. No profiler of V8's:
// that stops a server for hundreds of ms when it starts, and it misses frames
// that were inlined. Isolate's thread only.
class StackSampler {
 public:
  // Samples every `period_ns` on average, and every millisecond in an event
  // that has run for longer than kLongNs; 0: not at all. `stalls`, which may be
  // null, is told what runs, and where events are that it finds too long.
  // `burst`: when it samples at all. `serving` has in its property `request`
  // the HTTP request that began last. What it points to outlives it.
  // `left_out`: what begins the names of the scripts whose frames are not told.
  // Unavailable: there is no thread for the helper.
  struct Options {
    int64_t period_ns = 0;
    Burst burst{0};
    StallWatch* stalls = nullptr;
    const v8::Global<v8::Object>* serving = nullptr;
    std::string left_out;
  };
  static absl::StatusOr<std::unique_ptr<StackSampler>> Start(
      v8::Isolate* isolate, const EventTracker* tracker, Recorder* recorder,
      const Options& options);

  ~StackSampler();
  StackSampler(const StackSampler&) = delete;
  StackSampler& operator=(const StackSampler&) = delete;

  static constexpr int64_t kLongNs = 2'000'000;
  static constexpr int64_t kLongPeriodNs = 1'000'000;
  // JavaScript answers sooner; what ran for so long since may be elsewhere.
  static constexpr int64_t kPatienceNs = 20'000;
  static constexpr int64_t kSameNs = 100'000;
  static constexpr size_t kMaxFrames = 64;
  // Of the processor's time: what answers may take, and what they may save up.
  // The first in a large script takes 10 ms.
  static constexpr double kCostShare = 0.01;
  static constexpr int64_t kMostSavedNs = 50'000'000;

 private:
  // Where the thread is, without so many of its innermost frames, which it has
  // entered since it was looked at.
  struct Place {
    PhysicalStack stack;
    size_t later = 0;
    bool just_now = false;  // it was looked at: as good as where it is now
  };
  // What was asked of V8 cannot be taken back: it outlives the sampler.
  struct Question;

  StackSampler(v8::Isolate* isolate, const EventTracker* tracker,
               Recorder* recorder, const Options& options);

  void AskLoop();
  bool Pause(int64_t ns);
  bool Affords(uint64_t ticks);
  uint64_t Ask(uint64_t since);
  int64_t LongPauseNs(int64_t until_ns) const;
  int64_t UntilSamplesNs() const;
  void AwaitAnswer() const;
  void Answer();
  void Push(uint64_t from, uint64_t to, uint64_t stands_for, uint32_t stack,
            const NativePlace& native);
  void TellStall(const Place& at);
  bool IsOfV8(uintptr_t pc) const;
  // What was seen when the thread was looked at, in a signal's handler.
  struct Look {
    PhysicalStack stack;
    uintptr_t pc;  // 0: it collected garbage
    uint64_t ticks;
  };
  static constexpr size_t kMostLooks = 32;  // a question

  void LookAgain(uint64_t now);
  std::optional<Place> Note(uint64_t now, bool quick,
                            const PhysicalStack& here);
  NativePlace NativeOf(const Look& look);
  std::optional<Place> PlaceOf(const Look& look, const PhysicalStack& here);
  uint32_t StackOf(const Place& place);
  std::optional<ScriptStack> Describe(const Place& place);
  static void OnLook(void* self, const NativeLook::Registers& registers);
  static void OnInterrupt(v8::Isolate* isolate, void* question);
  static void OnGcEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void*);

  v8::Isolate* const isolate_;
  const EventTracker* const tracker_;
  Recorder* const recorder_;
  const Options options_;

  // Isolate's thread.
  StackTable table_;
  FrameWords words_;
  NativeModules modules_;
  std::array<Look, kMostLooks> looks_;  // since it was asked
  size_t look_count_ = 0;
  uint64_t look_ticks_ = 0;  // what they took
  // By a hash of the program counters on the stack, until code moves.
  absl::flat_hash_map<uint64_t, uint32_t> known_;
  uint64_t moves_ = 0;  // so often it has

  int64_t saved_ns_ = kMostSavedNs;  // of the processor's time; the helper's
  // The helper's, but while `asked_` is set the isolate's thread's; ticks.
  uint64_t asked_ticks_ = 0;
  int64_t asked_cpu_ns_ = 0;  // of the isolate's thread
  uint64_t stands_for_ = 0;   // how long before that nothing was asked
  uint64_t answer_lag_ = 0;
  int64_t cost_ns_ = 0;  // of the last answer, on the processor
  std::atomic<bool> asked_{false};
  std::atomic<bool> answers_{false};  // while `asked_` is set
  NativeLook look_;
  const CpuClock cpu_clock_;
  const bool one_cpu_;

  Question* question_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // under mutex_
  HelperThread helper_;
};

}  // namespace edgewise
