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

// Of the function that calls this.
[[gnu::always_inline]] inline v8::RegisterState RegistersNow() {
  v8::RegisterState registers;
  registers.pc = __builtin_return_address(0);
  registers.fp = registers.sp = __builtin_frame_address(0);
  return registers;
}

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
      words_(options.left_out),
      modules_(recorder),
      look_(&OnLook, this),
      cpu_clock_(pthread_self()),
      one_cpu_(HasOneCpu()),
      question_(new Question{this}) {
  if (options.stalls != nullptr) options.stalls->Leave(tracker->busy_since());
  isolate_->AddGCEpilogueCallback(&OnGcEnd, this);
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
  uint64_t last = Ticks();  // what came before is looked at
  uint64_t seen = last;
  bool is_long = false;
  const uint64_t long_ticks = NsToTicks(kLongNs);
  int64_t until_ns = UntilSamplesNs();
  bool sampled = until_ns == 0;
  while (Pause(until_ns == 0 && !is_long ? pause(random)
                                         : LongPauseNs(until_ns))) {
    until_ns = UntilSamplesNs();
    const bool samples = until_ns == 0;
    const uint64_t now = Ticks();
    // The first of a burst stands for nothing before it.
    if (!std::exchange(sampled, samples) || !samples) last = now;
    const uint64_t since = tracker_->busy_since();
    is_long = since != 0 && now > since && now - since > long_ticks;
    const bool urgent =
        options_.stalls != nullptr && options_.stalls->Look(since, now);
    if (asked_.load(std::memory_order_acquire)) {
      if (samples && since != 0) LookAgain(now);
      continue;
    }
    const bool affordable = Affords(now - std::exchange(seen, now));
    if (since != 0 && (urgent || (samples && affordable))) {
      last = Ask(last);
    } else if (since == 0 || affordable) {
      last = now;
    } else {  // What is asked next stands for this, too.
      last = std::max(last, now - NsToTicks(kMostPauseNs));
    }
  }
}

// After so many ticks more.
bool StackSampler::Affords(uint64_t ticks) {
  const double earned_ns = kCostShare * static_cast<double>(TickNs(ticks));
  saved_ns_ += static_cast<int64_t>(earned_ns) - std::exchange(cost_ns_, 0);
  saved_ns_ = std::min(saved_ns_, kMostSavedNs);
  return saved_ns_ > 0;
}

// `until_ns`: UntilSamplesNs().
int64_t StackSampler::LongPauseNs(int64_t until_ns) const {
  if (until_ns == 0) return std::min(kLongPeriodNs, options_.period_ns);
  const int64_t rest_ns = options_.stalls == nullptr
                              ? kMostPauseNs
                              : std::clamp(options_.stalls->least_ns() / 8,
                                           kLongPeriodNs, kMostPauseNs);
  return std::min(rest_ns, until_ns);
}

// 0: it is to sample now.
int64_t StackSampler::UntilSamplesNs() const {
  if (options_.period_ns == 0) return INT64_MAX;
  if (options_.burst.config() == 0) return 0;
  const int64_t now_ns = RealtimeNs();
  return options_.burst.NextNs(now_ns) - now_ns;
}

// `since`: nothing was looked at from then on. Returns when it has asked.
uint64_t StackSampler::Ask(uint64_t since) {
  const uint64_t answered = asked_ticks_ + answer_lag_;
  asked_cpu_ns_ = cpu_clock_.Ns();
  const uint64_t now = Ticks();
  stands_for_ = now - std::max(since, answered);
  asked_ticks_ = now;
  answers_.store(false, std::memory_order_relaxed);
  asked_.store(true, std::memory_order_release);
  isolate_->RequestInterrupt(&OnInterrupt, question_);
  AwaitAnswer();
  // Native code does not answer, and what goes on after it may be another
  // function: where it is now is looked at.
  if (asked_.load(std::memory_order_acquire) &&
      !answers_.load(std::memory_order_relaxed)) {
    look_.Look();
  }
  return now;
}

// It goes on without an answer: perhaps in other native code.
void StackSampler::LookAgain(uint64_t now) {
  const bool apart = TickNs(now - asked_ticks_) > kLongPeriodNs / 2;
  if (apart && !answers_.load(std::memory_order_relaxed)) look_.Look();
}

// Who sleeps for as little may wake much later. On a processor that it would
// have to share the thread cannot answer.
void StackSampler::AwaitAnswer() const {
  if (one_cpu_) return;
  const uint64_t until = Ticks() + NsToTicks(kPatienceNs);
  while (!answers_.load(std::memory_order_relaxed) && Ticks() < until) {
  }
}

void StackSampler::OnInterrupt(v8::Isolate*, void* question_) {
  auto* const question = static_cast<Question*>(question_);
  if (question->sampler != nullptr) return question->sampler->Answer();
  delete question;
}

void StackSampler::Answer() {
  answers_.store(true, std::memory_order_relaxed);
  const uint64_t now = Ticks();
  const int64_t began_ns = ThreadCpuNs();
  if (tracker_->in_event()) {
    PhysicalStack here;
    here.Take(isolate_, RegistersNow());
    const std::optional<Place> place =
        Note(now, began_ns - asked_cpu_ns_ <= kSameNs, here);
    const bool stalls = options_.stalls != nullptr && options_.stalls->wanted();
    if (stalls && place.has_value()) TellStall(*place);
  }
  look_count_ = 0;
  answer_lag_ = now - asked_ticks_;
  cost_ns_ = ThreadCpuNs() - began_ns + TickNs(std::exchange(look_ticks_, 0));
  asked_.store(false, std::memory_order_release);
}

// What runs now says nothing of what ran long before in another slice: of a
// look from there only the native function is told. Just after, it is as good
// as a sample of the slice that it is in. `quick`: the thread has hardly run
// since it was asked. Returns where it is, if that is known.
std::optional<StackSampler::Place> StackSampler::Note(
    uint64_t now, bool quick, const PhysicalStack& here) {
  const uint64_t slice = tracker_->slice_begin();
  std::span<const Look> looks(looks_.data(), look_count_);
  const auto place_of = [&](const Look& look) {
    return look.ticks < slice ? std::nullopt : PlaceOf(look, here);
  };
  uint64_t from = asked_ticks_;
  uint64_t stands_for = stands_for_;
  if (slice > from && TickNs(now - from) > kSameNs) quick = false;
  if (slice > from && quick) {
    stands_for += slice - from;
    from = slice;
    const auto first =
        std::find_if(looks.begin(), looks.end(),
                     [slice](const Look& look) { return look.ticks >= slice; });
    looks = {first, looks.end()};
  }
  std::optional<Place> place;
  if (looks.empty() && quick) place = Place{here};
  if (!looks.empty()) place = place_of(looks.back());
  if (options_.period_ns == 0) return place;
  // Each look stands for what came until the next one, in its own slice.
  const auto push = [&](uint64_t to, uint32_t stack,
                        const NativePlace& native) {
    if (to <= from) return;
    Push(from, to, std::exchange(stands_for, 0), stack, native);
    from = to;
  };
  if (!looks.empty() && looks.front().ticks >= slice) push(slice, 0, {});
  for (size_t i = 0; i < looks.size(); ++i) {
    const uint64_t next = i + 1 == looks.size() ? now : looks[i + 1].ticks;
    const bool over = looks[i].ticks < slice && slice < next;
    const std::optional<Place> then = place_of(looks[i]);
    push(over ? slice : next, then.has_value() ? StackOf(*then) : 0,
         NativeOf(looks[i]));
    if (over) push(next, 0, {});
  }
  if (looks.empty()) push(now, place.has_value() ? StackOf(*place) : 0, {});
  return place;
}

NativePlace StackSampler::NativeOf(const Look& look) {
  const bool native = look.pc != 0 && !IsOfV8(look.pc);
  return native ? modules_.PlaceOf(look.pc) : NativePlace{};
}

// From what was seen then, and what is `here` now. Null: it has gone on since,
// and from where is not known.
std::optional<StackSampler::Place> StackSampler::PlaceOf(
    const Look& look, const PhysicalStack& here) {
  // A look at JavaScript may miss the innermost frame.
  const bool same = TickNs(Ticks() - look.ticks) <= kSameNs;
  if (same && NativeOf(look).module == 0) return Place{here};
  const std::optional<size_t> later = here.GoneOnFrom(look.stack);
  if (!later.has_value() && !same) return std::nullopt;
  return Place{here, later.value_or(0), same};
}

void StackSampler::Push(uint64_t from, uint64_t to, uint64_t stands_for,
                        uint32_t stack, const NativePlace& native) {
  recorder_->PushInner([&](Record& record) {
    record.ticks = from;
    record.duration = TicksBetween(from, to);
    record.ready_before = static_cast<float>(stands_for);
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
  // It looks itself.
  if (sampler->answers_.load(std::memory_order_relaxed)) return;
  if (sampler->look_count_ == kMostLooks) return;
  Look& look = sampler->looks_[sampler->look_count_++];
  look.ticks = Ticks();
  v8::RegisterState state;
  state.pc = reinterpret_cast<void*>(registers.pc);
  state.sp = reinterpret_cast<void*>(registers.sp);
  state.fp = reinterpret_cast<void*>(registers.fp);
  const bool collects = look.stack.Take(sampler->isolate_, state) == v8::GC;
  look.pc = collects ? 0 : registers.pc;
  sampler->look_ticks_ += Ticks() - look.ticks;
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

// Null: the stack is cut off, and which of V8's frames are later is not known.
std::optional<ScriptStack> StackSampler::Describe(const Place& place) {
  std::optional<ScriptStack> described;
  described.emplace(isolate_, kMaxFrames, &words_);
  if (place.later == 0) return described;
  // Of functions that were inlined, those of later frames are not told from
  // others: what is left after all of them has called it, too.
  const size_t all = described->all();
  const size_t count = place.stack.count();
  if (all != count) {
    if (place.just_now) return described;
    const bool whole = all < kMaxFrames && count < PhysicalStack::kMost;
    if (!whole || all < count) return std::nullopt;
  }
  described->Leave(place.later + (all - count));
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

void StackSampler::OnGcEnd(v8::Isolate* isolate, v8::GCType type,
                           v8::GCCallbackFlags, void* self) {
  auto* const sampler = static_cast<StackSampler*>(self);
  const bool moved = type == v8::kGCTypeMarkSweepCompact;
  for (size_t i = 0; i < sampler->look_count_; ++i) {
    Look& look = sampler->looks_[i];
    // What a collection has interrupted could not be looked at in it.
    if (look.pc == 0 && look.stack.count() == 0) {
      look.stack.Take(isolate, RegistersNow());
    } else if (moved) {
      look.stack = PhysicalStack();
    }
  }
  // Code has moved or died: its addresses say something else now.
  if (!moved) return;
  ++sampler->moves_;
  sampler->known_.clear();
}

}  // namespace edgewise
