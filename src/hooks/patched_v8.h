#pragma once

#include <v8.h>

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hooks/event_api.h"
#include "recorder/event_tracker.h"
#include "recorder/recorder.h"
#include "recorder/vm_events.h"

namespace edgewise {

// The part of the provider `patched` that stock Node does not have: V8's own
// numbering of events, its edges, its garbage collections and its times, by the
// interface of hooks/event_api.h. Of one isolate, while it is recorded; its
// thread only.
class PatchedV8 : public VmEvents {
 public:
  // Ok in a patched Node. NotFound: this one is not patched.
  // FailedPrecondition: it is, but its numbers cannot be used here.
  static absl::Status Find();

  // Switches tracking on, in a patched Node. Unavailable: not in this isolate,
  // or not now.
  static absl::StatusOr<std::unique_ptr<PatchedV8>> Enable(v8::Isolate* isolate,
                                                           const AsyncIds& ids,
                                                           Recorder* recorder);

  // Switches it off.
  ~PatchedV8() override;

  // Timers, immediates and ticks announce themselves to `part_begin`.
  void WatchParts(void (*part_begin)(void* isolate, double async_id,
                                     double last_async_id));

  // VmEvents
  void Take(EventTracker* tracker) override;
  void Publish(uint32_t running, uint32_t next) override {
    words_->next_id = next;
    edgewise_set_current(words_, running);
  }

 private:
  static constexpr size_t kBatch = 64;

  // What was read from a ring of V8's and not yet handed on.
  template <typename Record>
  struct Batch {
    std::array<Record, kBatch> records;
    size_t next = 0;
    size_t end = 0;
  };

  PatchedV8(v8::Isolate* isolate, EdgewiseWords* words, Recorder* recorder);

  void GiveEdge(const EdgewiseEdge& edge, EventTracker* tracker);
  void GiveTimes(EventTracker* tracker);
  void CountDropped();

  v8::Isolate* const isolate_;
  EdgewiseWords* const words_;
  Recorder* const recorder_;
  EdgewiseHooks hooks_{};
  Batch<EdgewiseEdge> edges_;
  Batch<EdgewisePause> pauses_;
  uint64_t jit_ticks_ = 0;  // handed on so far
  uint64_t ic_ticks_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace edgewise
