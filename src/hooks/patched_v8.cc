#include "hooks/patched_v8.h"

#include <dlfcn.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// Rings of V8's, emptied at each event's end at the latest.
constexpr uint32_t kEdges = 1 << 16;
constexpr uint32_t kPauses = 1 << 12;

// V8's GarbageCollector, plus 1, as in EdgewisePause.
constexpr uint16_t kScavenger = 1;
constexpr uint16_t kMarkCompactor = 2;
constexpr uint16_t kMinorMarkCompactor = 3;

template <typename Function>
Function* Symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// The functions of a patched Node; null in any other.
struct Api {
  decltype(edgewise_abi_version)* version =
      Symbol<decltype(edgewise_abi_version)>("edgewise_abi_version");
  decltype(edgewise_words)* words =
      Symbol<decltype(edgewise_words)>("edgewise_words");
  decltype(edgewise_enable)* enable =
      Symbol<decltype(edgewise_enable)>("edgewise_enable");
  decltype(edgewise_disable)* disable =
      Symbol<decltype(edgewise_disable)>("edgewise_disable");
  decltype(edgewise_take_edges)* take_edges =
      Symbol<decltype(edgewise_take_edges)>("edgewise_take_edges");
  decltype(edgewise_take_pauses)* take_pauses =
      Symbol<decltype(edgewise_take_pauses)>("edgewise_take_pauses");
  decltype(edgewise_dropped)* dropped =
      Symbol<decltype(edgewise_dropped)>("edgewise_dropped");
  decltype(edgewise_watch_parts)* watch_parts =
      Symbol<decltype(edgewise_watch_parts)>("edgewise_watch_parts");
};

const Api& TheApi() {
  static const Api api;
  return api;
}

GcType GcTypeOf(const EdgewisePause& pause) {
  switch (pause.collector) {
    case kScavenger:
      return GcType::kScavenge;
    case kMarkCompactor:
      return GcType::kMarkSweepCompact;
    case kMinorMarkCompactor:
      return GcType::kMinorMarkSweep;
    default:
      break;
  }
  switch (pause.bucket) {
    case EDGEWISE_GC_INCREMENTAL:
      return GcType::kIncrementalMarking;
    case EDGEWISE_GC_SWEEP:
      return GcType::kSweeping;
    case EDGEWISE_GC_CALLBACKS:
      return GcType::kWeakCallbacks;
    default:
      return GcType::kOther;
  }
}

uint64_t JitTicks(const EdgewiseWords& words) {
  return words.buckets[EDGEWISE_COMPILE_PARSE] +
         words.buckets[EDGEWISE_COMPILE_BYTECODE] +
         words.buckets[EDGEWISE_COMPILE_BASELINE] +
         words.buckets[EDGEWISE_COMPILE_OPTIMIZE];
}

// The next record of a batch, refilled from V8's ring; null: there is none.
template <typename Batch, typename Take>
auto* Front(Batch* batch, Take* take, EdgewiseTracker* tracker) {
  if (batch->next == batch->end) {
    batch->next = 0;
    batch->end = take(tracker, batch->records.data(), batch->records.size());
  }
  return batch->next < batch->end ? &batch->records[batch->next] : nullptr;
}

}  // namespace

absl::Status PatchedV8::Find() {
  const Api& api = TheApi();
  if (api.version == nullptr) {
    return absl::NotFoundError("this Node is not patched");
  }
  if (api.version() != EDGEWISE_ABI_VERSION) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this Node was patched for another edgewise (interface ", api.version(),
        ", not ", EDGEWISE_ABI_VERSION, "): build it again"));
  }
#if defined(__x86_64__)
  // V8's ticks are the processor's, and ours must be the same.
  if (TickSource() != "tsc") {
    return absl::FailedPreconditionError(
        "the time stamp counter of this machine is not reliable");
  }
#endif
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<PatchedV8>> PatchedV8::Enable(
    v8::Isolate* isolate, const AsyncIds& ids, Recorder* recorder) {
  const Api& api = TheApi();
  const int error =
      api.enable(isolate, EDGEWISE_EDGES | EDGEWISE_TIMES | EDGEWISE_PAUSES,
                 kEdges, kPauses);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("V8 cannot track events here: ", strerror(-error)));
  }
  EdgewiseWords* const words = api.words(isolate);
  // Where V8 finds the count that it leaves with each edge.
  words->spare[0] = reinterpret_cast<uint64_t>(ids.counter_field());
  return std::unique_ptr<PatchedV8>(new PatchedV8(isolate, words, recorder));
}

PatchedV8::PatchedV8(v8::Isolate* isolate, EdgewiseWords* words,
                     Recorder* recorder)
    : isolate_(isolate),
      words_(words),
      recorder_(recorder),
      jit_ticks_(JitTicks(*words)),
      ic_ticks_(words->buckets[EDGEWISE_IC_MISS]) {}

PatchedV8::~PatchedV8() {
  if (hooks_.part_begin != nullptr) TheApi().watch_parts(isolate_, 0);
  TheApi().disable(isolate_);
}

void PatchedV8::WatchParts(void (*part_begin)(void*, double, double)) {
  hooks_.part_begin = part_begin;
  words_->hooks = &hooks_;
  TheApi().watch_parts(isolate_, 1);
}

void PatchedV8::Take(EventTracker* tracker) {
  const Api& api = TheApi();
  while (true) {
    const auto* edge = Front(&edges_, api.take_edges, words_->tracker);
    const auto* pause = Front(&pauses_, api.take_pauses, words_->tracker);
    if (pause != nullptr &&
        (edge == nullptr || pause->begin_ticks <= edge->ticks)) {
      tracker->GcFromVm(GcTypeOf(*pause), pause->begin_ticks, pause->end_ticks,
                        pause->reason, pause->safepoint_ticks);
      ++pauses_.next;
    } else if (edge != nullptr) {
      GiveEdge(*edge, tracker);
      ++edges_.next;
    } else {
      break;
    }
  }
  tracker->NumbersFromVm(static_cast<uint32_t>(words_->next_id));
  GiveTimes(tracker);
  CountDropped();
}

void PatchedV8::GiveEdge(const EdgewiseEdge& edge, EventTracker* tracker) {
  switch (edge.kind) {
    case EDGEWISE_REACTION:
      return tracker->SliceFromVm(edge.ticks, edge.dst, edge.src,
                                  edge.reserved);
    case EDGEWISE_CLOSURE:
    case EDGEWISE_BOUND:
      return tracker->EdgeFromVm(
          edge.ticks, edge.dst, edge.src,
          edge.kind == EDGEWISE_BOUND ? EdgeKind::kBound : EdgeKind::kClosure,
          edge.reserved);
    default:  // EDGEWISE_RESUMED: what the running event is, is known here.
      break;
  }
}

void PatchedV8::GiveTimes(EventTracker* tracker) {
  edgewise_settle_misses(words_);
  const uint64_t jit_ticks = JitTicks(*words_);
  const uint64_t ic_ticks = words_->buckets[EDGEWISE_IC_MISS];
  tracker->TimesFromVm(jit_ticks - jit_ticks_, ic_ticks - ic_ticks_);
  jit_ticks_ = jit_ticks;
  ic_ticks_ = ic_ticks;
}

// Not a record of ours, but as much a loss.
void PatchedV8::CountDropped() {
  const uint64_t dropped = TheApi().dropped(words_->tracker);
  if (dropped == dropped_) return;
  recorder_->CountDropped(dropped - dropped_);
  dropped_ = dropped;
}

}  // namespace edgewise
