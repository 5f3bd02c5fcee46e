#include "hooks/stack_sampler.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/clock.h"

namespace edgewise {
namespace {

// Beyond so many, those that are known are forgotten.
constexpr size_t kMaxKnown = size_t{1} << 16;
constexpr int64_t kMostPauseNs = 50'000'000;

}  // namespace

// Freed by its answer, or if it was never answered with nothing: V8 forgets
// what was asked when an isolate ends.
struct StackSampler::Question {
  StackSampler* sampler;
};

absl::StatusOr<std::unique_ptr<StackSampler>> StackSampler::Start(
    v8::Isolate* isolate, const EventTracker* tracker, Recorder* recorder,
    const Options& options) {
  std::unique_ptr<StackSampler> sampler(
      new StackSampler(isolate, tracker, recorder, options));
  TicksPerNs();  // Its first call takes a while.
  auto helper = HelperThread::Start(
      "edgewise-stacks", [self = sampler.get()] { self->AskLoop(); });
  if (!helper.ok()) return helper.status();
  sampler->helper_ = *std::move(helper);
  return sampler;
}

StackSampler::StackSampler(v8::Isolate* isolate, const EventTracker* tracker,
                           Recorder* recorder, const Options& options)
    : isolate_(isolate),
      tracker_(tracker),
      recorder_(recorder),
      options_(options),
      table_(recorder),
      modules_(recorder),
      look_(&OnLook, this),
      question_(new Question{this}) {
  if (options.stalls != nullptr) options.stalls->Leave(tracker->busy_since());
  isolate_->AddGCEpilogueCallback(&OnGcEnd, this, v8::kGCTypeMarkSweepCompact);
}

StackSampler::~StackSampler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (helper_.joinable()) helper_.join();
  isolate_->RemoveGCEpilogueCallback(&OnGcEnd, this);
  question_->sampler = nullptr;
  if (!asked_.load(std::memory_order_acquire)) delete question_;
}

// False: it is time to stop.
bool StackSampler::Pause(int64_t ns) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::nanoseconds(ns),
                         [this] { return stopping_; });
}

void StackSampler::AskLoop() {
  UsePreciseSleep();
  UseShortTurns();
  std::minstd_rand random(static_cast<uint32_t>(Ticks()));
  // No application keeps step with it.
  std::uniform_int_distribution<int64_t> pause(options_.period_ns / 2,
                                               options_.period_ns * 3 / 2);
  uint64_t last = Ticks();
  bool is_long = false;
  const uint64_t long_ticks = NsToTicks(kLongNs);
  const bool samples = options_.period_ns > 0;
  while (Pause(samples && !is_long ? pause(random) : LongPauseNs())) {
    const uint64_t now = Ticks();
    const uint64_t since = tracker_->busy_since();
    is_long = since != 0 && now > since && now - since > long_ticks;
    const bool urgent =
        options_.stalls != nullptr && options_.stalls->Look(since, now);
    if (asked_.load(std::memory_order_acquire)) continue;
    const bool affordable = Affords(now - last);
    if (since != 0 && (urgent || (samples && affordable))) Ask(now, last);
    last = now;
  }
}

// After so many ticks more.
bool StackSampler::Affords(uint64_t ticks) {
  const double earned_ns = kCostShare * static_cast<double>(TickNs(ticks));
  saved_ns_ += static_cast<int64_t>(earned_ns) - std::exchange(cost_ns_, 0);
  saved_ns_ = std::min(saved_ns_, kMostSavedNs);
  return saved_ns_ > 0;
}

int64_t StackSampler::LongPauseNs() const {
  if (options_.period_ns > 0)
    return std::min(kLongPeriodNs, options_.period_ns);
  return std::clamp(options_.stalls->least_ns() / 8, kLongPeriodNs,
                    kMostPauseNs);
}

// `since`: nothing was looked at from then on.
void StackSampler::Ask(uint64_t now, uint64_t since) {
  const uint64_t answered = asked_ticks_ + answer_lag_;
  stands_for_ = now - std::max(since, answered);
  asked_ticks_ = now;
  asked_.store(true, std::memory_order_release);
  isolate_->RequestInterrupt(&OnInterrupt, question_);
  // Native code does not answer, and what goes on after it may be another
  // function: where it is now is looked at.
  SleepNs(kPatienceNs);
  if (asked_.load(std::memory_order_acquire)) look_.Look();
}

void StackSampler::OnInterrupt(v8::Isolate*, void* question_) {
  auto* const question = static_cast<Question*>(question_);
  if (question->sampler != nullptr) return question->sampler->Answer();
  delete question;
}

void StackSampler::Answer() {
  const uint64_t now = Ticks();
  const int64_t began_ns = ThreadCpuNs();
  // What runs now says nothing of what ran then, in another slice.
  const bool same = tracker_->slice_begin() <= asked_ticks_;
  if (tracker_->in_event()) {
    const NativePlace native = same ? NativeNow() : NativePlace{};
    const std::optional<Place> place = same ? PlaceNow(native) : std::nullopt;
    if (options_.period_ns > 0) {
      Push(now, place.has_value() ? StackOf(*place) : 0, native);
    }
    const bool stalls = options_.stalls != nullptr && options_.stalls->wanted();
    if (stalls && place.has_value()) TellStall(*place);
  }
  answer_lag_ = now - asked_ticks_;
  cost_ns_ = ThreadCpuNs() - began_ns;
  asked_.store(false, std::memory_order_release);
}

// Where it was natively when it was looked at, if that was since it was asked.
NativePlace StackSampler::NativeNow() {
  const bool seen = seen_ticks_ >= asked_ticks_ && seen_pc_ != 0;
  return seen && !IsOfV8(seen_pc_) ? modules_.PlaceOf(seen_pc_) : NativePlace{};
}

// Null: it has gone on from `native`, and from where that was called is not
// known.
std::optional<StackSampler::Place> StackSampler::PlaceNow(
    const NativePlace& native) {
  v8::RegisterState registers;
  registers.pc = __builtin_return_address(0);
  registers.fp = registers.sp = __builtin_frame_address(0);
  Place place;
  place.stack.Take(isolate_, registers);
  if (native.module == 0) return place;
  const std::optional<size_t> later = place.stack.GoneOnFrom(seen_);
  if (!later.has_value()) return std::nullopt;
  place.later = *later;
  return place;
}

void StackSampler::Push(uint64_t now, uint32_t stack,
                        const NativePlace& native) {
  recorder_->PushInner([&](Record& record) {
    record.ticks = asked_ticks_;
    record.duration = TicksBetween(asked_ticks_, now);
    record.ready_before = static_cast<float>(stands_for_);
    record.kind = RecordKind::kSample;
    SetIds(record, native.address, native.module);
    record.aux = stack;
  });
}

// Code that stands for JavaScript: the interpreter's, V8's builtins.
bool StackSampler::IsOfV8(uintptr_t pc) const {
  const void* begin = nullptr;
  size_t size = 0;
  isolate_->GetEmbeddedCodeRange(&begin, &size);
  return pc - reinterpret_cast<uintptr_t>(begin) < size;
}

// In a signal's handler: what V8's own profiler does there.
void StackSampler::OnLook(void* self, const NativeLook::Registers& registers) {
  auto* const sampler = static_cast<StackSampler*>(self);
  v8::RegisterState state;
  state.pc = reinterpret_cast<void*>(registers.pc);
  state.sp = reinterpret_cast<void*>(registers.sp);
  state.fp = reinterpret_cast<void*>(registers.fp);
  const v8::StateTag running = sampler->seen_.Take(sampler->isolate_, state);
  sampler->seen_pc_ = running == v8::GC ? 0 : registers.pc;
  sampler->seen_ticks_ = Ticks();
}

// Its string id; 0: it could not be told, or there is no room for it.
uint32_t StackSampler::StackOf(const Place& place) {
  const uint64_t hash = absl::HashOf(place.stack.Hash(), place.later);
  const auto found = known_.find(hash);
  if (found != known_.end()) return found->second;
  const uint64_t moves = moves_;
  const std::optional<ScriptStack> described = Describe(place);
  const uint32_t stack = described.has_value() && !described->frames().empty()
                             ? table_.Intern(described->frames())
                             : 0;
  if (known_.size() >= kMaxKnown) known_.clear();
  if (moves == moves_ && stack != 0) known_.emplace(hash, stack);
  return stack;
}

// Null: functions were inlined, and which of V8's frames are later is not
// known.
std::optional<ScriptStack> StackSampler::Describe(const Place& place) const {
  std::optional<ScriptStack> described;
  described.emplace(isolate_, kMaxFrames, static_cast<int>(place.later),
                    options_.left_out);
  if (place.later > 0 &&
      static_cast<size_t>(described->all()) != place.stack.count()) {
    described.reset();
  }
  return described;
}

// In flight mode what has led to it is written out.
void StackSampler::TellStall(const Place& at) {
  const std::optional<ScriptStack> described = Describe(at);
  if (!described.has_value()) return;
  StallPlace place;
  if (const StackFrame* const frame = described->Innermost()) {
    place = {.function = std::string(frame->function),
             .script = std::string(frame->script),
             .line = frame->line,
             .column = frame->column};
  }
  if (tracker_->serves_request()) {
    place.route = RouteOf(isolate_, *options_.serving);
  }
  options_.stalls->Tell(tracker_->busy_since(), std::move(place));
  recorder_->RequestDump();
}

// Code has moved or died: its addresses say something else now.
void StackSampler::OnGcEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags,
                           void* self) {
  auto* const sampler = static_cast<StackSampler*>(self);
  ++sampler->moves_;
  sampler->known_.clear();
}

}  // namespace edgewise
