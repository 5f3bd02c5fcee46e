#include "hooks/stack_sampler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/clock.h"

namespace edgewise {
namespace {

// Between two descriptions so many times what the last one took: the first in a
// large script may take 10 ms.
constexpr uint64_t kCostShare = 100;
// Beyond so many, those that are known are forgotten.
constexpr size_t kMaxKnown = size_t{1} << 16;

std::string TextOf(v8::Isolate* isolate, v8::Local<v8::String> text) {
  if (text.IsEmpty()) return {};
  const v8::String::Utf8Value utf8(isolate, text);
  return *utf8 != nullptr ? std::string(*utf8, utf8.length()) : std::string();
}

uint32_t PlaceOf(int place) {
  return place > 0 ? static_cast<uint32_t>(place) : 0;
}

}  // namespace

// Freed by its answer, or if it was never answered with nothing: V8 forgets
// what was asked when an isolate ends.
struct StackSampler::Question {
  StackSampler* sampler;
};

absl::StatusOr<std::unique_ptr<StackSampler>> StackSampler::Start(
    v8::Isolate* isolate, const EventTracker* tracker, Recorder* recorder,
    int64_t period_ns) {
  std::unique_ptr<StackSampler> sampler(
      new StackSampler(isolate, tracker, recorder, period_ns));
  TicksPerNs();  // Its first call takes a while.
  auto helper = HelperThread::Start(
      "edgewise-stacks", [self = sampler.get()] { self->AskLoop(); });
  if (!helper.ok()) return helper.status();
  sampler->helper_ = *std::move(helper);
  return sampler;
}

StackSampler::StackSampler(v8::Isolate* isolate, const EventTracker* tracker,
                           Recorder* recorder, int64_t period_ns)
    : isolate_(isolate),
      tracker_(tracker),
      recorder_(recorder),
      period_ns_(period_ns),
      table_(recorder),
      question_(new Question{this}) {
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
  std::minstd_rand random(static_cast<uint32_t>(Ticks()));
  // No application keeps step with it.
  std::uniform_int_distribution<int64_t> pause(period_ns_ / 2,
                                               period_ns_ * 3 / 2);
  uint64_t last = Ticks();
  bool is_long = false;
  const uint64_t long_ticks = NsToTicks(kLongNs);
  while (Pause(is_long ? std::min(kLongPeriodNs, period_ns_) : pause(random))) {
    const uint64_t now = Ticks();
    const uint64_t since = tracker_->busy_since();
    is_long = since != 0 && now > since && now - since > long_ticks;
    if (since != 0 && !Ask(now, last)) continue;
    last = now;
  }
}

// `since`: what it stands for begins then. False: there is no need to, or not
// yet.
bool StackSampler::Ask(uint64_t now, uint64_t since) {
  if (asked_.load(std::memory_order_acquire)) return false;
  const uint64_t answered = asked_ticks_ + answer_lag_;
  if (now - answered < kCostShare * cost_) return false;
  stands_for_ = now - std::max(since, answered);
  asked_ticks_ = now;
  asked_.store(true, std::memory_order_release);
  isolate_->RequestInterrupt(&OnInterrupt, question_);
  return true;
}

void StackSampler::OnInterrupt(v8::Isolate*, void* question_) {
  auto* const question = static_cast<Question*>(question_);
  if (question->sampler != nullptr) return question->sampler->Answer();
  delete question;
}

void StackSampler::Answer() {
  const uint64_t now = Ticks();
  if (tracker_->in_event()) {
    // What runs now says nothing of what ran then, in another slice.
    const bool same = tracker_->slice_begin() <= asked_ticks_;
    const uint32_t stack = same ? StackNow() : 0;
    recorder_->PushInner([&](Record& record) {
      record.ticks = asked_ticks_;
      record.duration = TicksBetween(asked_ticks_, now);
      record.ready_before = static_cast<float>(stands_for_);
      record.kind = RecordKind::kSample;
      record.aux = stack;
    });
  }
  answer_lag_ = now - asked_ticks_;
  cost_ = Ticks() - now;
  asked_.store(false, std::memory_order_release);
}

// The stack's string id; 0: there is no room for it.
uint32_t StackSampler::StackNow() {
  std::array<void*, kMaxFrames> frames;
  v8::RegisterState registers;
  registers.pc = __builtin_return_address(0);
  registers.fp = registers.sp = __builtin_frame_address(0);
  v8::SampleInfo info;
  isolate_->GetStackSample(registers, frames.data(), frames.size(), &info);
  uint64_t hash = info.frames_count;
  for (size_t i = 0; i < info.frames_count; ++i) {
    hash = absl::HashOf(hash, frames[i]);
  }
  const auto found = known_.find(hash);
  if (found != known_.end()) return found->second;
  const uint64_t moves = moves_;
  const uint32_t stack = Describe();
  if (known_.size() >= kMaxKnown) known_.clear();
  if (moves == moves_ && stack != 0) known_.emplace(hash, stack);
  return stack;
}

uint32_t StackSampler::Describe() {
  const v8::HandleScope scope(isolate_);
  const v8::Local<v8::StackTrace> trace = v8::StackTrace::CurrentStackTrace(
      isolate_, kMaxFrames,
      static_cast<v8::StackTrace::StackTraceOptions>(
          v8::StackTrace::kLineNumber | v8::StackTrace::kColumnOffset |
          v8::StackTrace::kFunctionName |
          v8::StackTrace::kScriptNameOrSourceURL |
          v8::StackTrace::kExposeFramesAcrossSecurityOrigins));
  const int count = trace->GetFrameCount();
  if (count == 0) return 0;
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(count) * 2);
  std::vector<StackFrame> frames;
  for (int i = 0; i < count; ++i) {
    const v8::Local<v8::StackFrame> frame =
        trace->GetFrame(isolate_, static_cast<uint32_t>(i));
    texts.push_back(TextOf(isolate_, frame->GetFunctionName()));
    texts.push_back(TextOf(isolate_, frame->GetScriptNameOrSourceURL()));
    frames.push_back({texts[texts.size() - 2], texts.back(),
                      PlaceOf(frame->GetLineNumber()),
                      PlaceOf(frame->GetColumn())});
  }
  return table_.Intern(frames);
}

// Code has moved or died: its addresses say something else now.
void StackSampler::OnGcEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags,
                           void* self) {
  auto* const sampler = static_cast<StackSampler*>(self);
  ++sampler->moves_;
  sampler->known_.clear();
}

}  // namespace edgewise
