#include "hooks/stock_provider.h"

#include <node.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hooks/arrival.h"
#include "hooks/process_exit.h"
#include "platform/clock.h"
#include "platform/poll_wait.h"

namespace edgewise {
namespace {

thread_local StockProvider* stock_provider
    __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local EventTracker* active __attribute__((tls_model("initial-exec"))) =
    nullptr;

GcType GcTypeOf(v8::GCType type) {
  switch (static_cast<int>(type)) {
    case 1:
      return GcType::kScavenge;
    case 2:
      return GcType::kMinorMarkSweep;
    case 4:
      return GcType::kMarkSweepCompact;
    case 8:
      return GcType::kIncrementalMarking;
    default:
      return GcType::kWeakCallbacks;
  }
}

}  // namespace

StockProvider* StockProvider::ForThread() {
  if (stock_provider == nullptr) {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    stock_provider =
        new StockProvider(isolate, node::GetCurrentEventLoop(isolate));
    node::AddEnvironmentCleanupHook(isolate, &StockProvider::Dispose,
                                    stock_provider);
    // process.exit() and an uncaught exception leave the environment as it is.
    AtProcessExit(&StockProvider::AtExit, nullptr);
  }
  return stock_provider;
}

EventTracker* StockProvider::Tracker() { return active; }

absl::Status StockProvider::CanInterpose() {
  absl::Status status = InstallInterposition();
  if (status.ok()) RemoveInterposition();
  return status;
}

void StockProvider::NoteLatency(uint64_t latency_ticks) {
  if (latency_ticks > stock_provider->slo_ticks_)
    stock_provider->recorder_->RequestDump();
}

void StockProvider::SetTimerClock(double now_ms) {
  stock_provider->timer_clock_ms_ =
      static_cast<double>(uv_now(stock_provider->loop_)) - now_ms;
}

void StockProvider::EnterContinuation() {
  stock_provider->tracker_->EnterContinuation(*stock_provider);
}

double StockProvider::LoopMs() {
  return static_cast<double>(uv_now(stock_provider->loop_));
}

int64_t StockProvider::TimerDueNs(double due_ms) {
  constexpr double kMostMs = 1e12;
  const double ms = stock_provider->timer_clock_ms_ + due_ms;
  return ms > 0 && ms < kMostMs ? static_cast<int64_t>(ms) * 1'000'000 : -1;
}

StockProvider::StockProvider(v8::Isolate* isolate, uv_loop_t* loop)
    : isolate_(isolate),
      loop_(loop),
      descriptors_(loop),
      thread_pool_(loop),
      rings_(loop),
      timers_(loop),
      heap_(isolate) {
  uv_prepare_init(loop, &prepare_);
  uv_check_init(loop, &check_);
  uv_check_init(loop, &check_end_);
  uv_unref(reinterpret_cast<uv_handle_t*>(&prepare_));
  uv_unref(reinterpret_cast<uv_handle_t*>(&check_));
  uv_unref(reinterpret_cast<uv_handle_t*>(&check_end_));
  prepare_.data = check_.data = check_end_.data = this;
}

StockProvider::~StockProvider() { stock_provider = nullptr; }

// Of the main thread's process, whose end needs no listener of JavaScript's.
void StockProvider::AtExit(void*) {
  if (stock_provider != nullptr) stock_provider->End();
}

void StockProvider::End() {
  if (!recording()) return;
  const RecorderStats stats = recorder_->stats();
  Stop();
  if (!farewell_.has_value()) return;
  std::string text;
  if (stats.dropped > 0 || stats.lost_bytes > 0) {
    text = absl::StrCat("edgewise: lost ", stats.dropped,
                        " records (ring full: EDGEWISE_RING_RECORDS) and ",
                        stats.lost_bytes, " bytes (not written)\n");
  }
  absl::StrAppend(&text, *farewell_);
  // Where stderr is gone there is nobody to tell.
  if (!text.empty()) (void)!write(STDERR_FILENO, text.data(), text.size());
}

// The environment goes away: stop, then close the handles, then tell Node.
void StockProvider::Dispose(void* self_, void (*done)(void*), void* done_arg) {
  auto* const self = static_cast<StockProvider*>(self_);
  self->End();
  self->disposed_ = done;
  self->disposed_arg_ = done_arg;
  const uv_close_cb closed = [](uv_handle_t* handle) {
    auto* const owner = static_cast<StockProvider*>(handle->data);
    if (--owner->handles_open_ > 0) return;
    void (*const finish)(void*) = owner->disposed_;
    void* const arg = owner->disposed_arg_;
    delete owner;
    finish(arg);
  };
  uv_close(reinterpret_cast<uv_handle_t*>(&self->prepare_), closed);
  uv_close(reinterpret_cast<uv_handle_t*>(&self->check_), closed);
  uv_close(reinterpret_cast<uv_handle_t*>(&self->check_end_), closed);
}

absl::Status StockProvider::Start(ProviderConfig config) {
  if (recording()) {
    return absl::AlreadyExistsError("this thread is recorded already");
  }
  config.recorder.first_sequence = EventTracker::FirstSequence(words_);
  auto recorder = Recorder::Start(std::move(config.recorder));
  if (!recorder.ok()) return recorder.status();
  recorder_ = *std::move(recorder);
  absl::Status helped = StartHelpers(config);
  if (!helped.ok()) {
    watcher_.reset();
    recorder_.reset();
    return helped;
  }
  off_cpu_ = std::move(config.off_cpu);
  work_names_ =
      std::make_unique<WorkNames>(recorder_.get(), config.whole_paths, &hosts_);
  slo_ticks_ = config.slo_ns > 0 ? NsToTicks(static_cast<double>(config.slo_ns))
                                 : UINT64_MAX;
  tracker_ = std::make_unique<EventTracker>(recorder_.get(), watcher_.get(),
                                            config.ids, &words_, patched_.get(),
                                            off_cpu_.get());
  if (config.slo_ns > 0) tracker_->WantLatencies();
  timers_.NoteNodes();
  AttachCallbacks();
  active = tracker_.get();
  const bool main_script = !uv_loop_alive(loop_) || loop_->time == 0;
  tracker_->Attach(main_script ? EventType::kMain : EventType::kUnknown);
  if (!main_script) TakeOpen();
  stalls_ = std::move(config.stalls);
  burst_ = config.burst;
  own_scripts_ = std::move(config.own_scripts);
  absl::Status sampling = Sample(config.stack_period_ns);
  if (!sampling.ok()) Stop();
  return sampling;
}

absl::Status StockProvider::Sample(int64_t period_ns) {
  sampler_.reset();
  if (period_ns == 0 && stalls_ == nullptr) return absl::OkStatus();
  auto sampler = StackSampler::Start(isolate_, tracker_.get(), recorder_.get(),
                                     {.period_ns = period_ns,
                                      .burst = burst_,
                                      .stalls = stalls_.get(),
                                      .serving = &serving_,
                                      .left_out = own_scripts_});
  if (!sampler.ok()) return sampler.status();
  sampler_ = *std::move(sampler);
  return absl::OkStatus();
}

// What the recorder needs besides.
absl::Status StockProvider::StartHelpers(const ProviderConfig& config) {
  if (config.watcher_interval_ns > 0) {
    auto watcher = ReadyWatcher::Start(
        config.watcher_interval_ns,
        [this](uint64_t ticks) { return thread_pool_.Look(ticks); });
    if (!watcher.ok()) return watcher.status();
    watcher_ = *std::move(watcher);
  }
  if (!PatchedV8::Find().ok()) return absl::OkStatus();
  auto patched = PatchedV8::Enable(isolate_, config.ids, recorder_.get());
  if (!patched.ok()) return patched.status();
  patched_ = *std::move(patched);
  return absl::OkStatus();
}

void StockProvider::Stop() {
  if (!recording()) return;
  connections_.ForEach([this](int fd, const Connection& connection) {
    Measure(fd, connection);
  });
  sampler_.reset();  // joins its helper, which asks the tracker
  stalls_.reset();
  serving_.Reset();
  tracker_->Detach();
  active = nullptr;
  DetachCallbacks();
  watcher_.reset();  // joins the helper, which uses thread_pool_
  recorder_->Stop();
  tracker_.reset();
  off_cpu_.reset();
  patched_.reset();
  questions_.reset();
  work_names_.reset();
  recorder_.reset();
}

void StockProvider::AttachCallbacks() {
  uv_prepare_start(&prepare_, &OnPrepare);
  uv_check_start(&check_, &OnCheck);
  uv_check_start(&check_end_, &OnCheckEnd);  // OnPrepare() has it run last.
  interposition_ = InstallInterposition();
  if (interposition_.ok()) {
    SetSystemCallObserver(this);
    descriptors_.DiscoverAll(watcher_.get());
    rings_.Enable(tracker_.get(), work_names_.get(), watcher_.get());
  }
  thread_pool_.Enable(tracker_.get(), work_names_.get(), patched_ != nullptr);
  isolate_->AddBeforeCallEnteredCallback(&OnEnterJs);
  isolate_->AddGCPrologueCallback(&OnGcBegin, this);
  isolate_->AddGCEpilogueCallback(&OnGcEnd, this);
  if (patched_ != nullptr) patched_->WatchParts(&OnPart);
}

void StockProvider::DetachCallbacks() {
  isolate_->RemoveBeforeCallEnteredCallback(&OnEnterJs);
  isolate_->RemoveGCPrologueCallback(&OnGcBegin, this);
  isolate_->RemoveGCEpilogueCallback(&OnGcEnd, this);
  gc_depth_ = 0;
  thread_pool_.Disable();
  rings_.Disable();
  if (interposition_.ok()) {
    SetSystemCallObserver(nullptr);
    RemoveInterposition();
  }
  descriptors_.Forget();
  connections_.Clear();
  uv_check_stop(&check_);
  uv_check_stop(&check_end_);
  uv_prepare_stop(&prepare_);
}

// V8 also tells when a call has completed, but copies its list of callbacks
// each time it does: as dear as everything else that is done here for an entry.
// Nothing needs it: an event ends where the next one begins.
void StockProvider::OnEnterJs(v8::Isolate*) {
  if (active != nullptr) active->EnterJs(*stock_provider);
}

// Whether there is JavaScript on the stack. The answer is V8's own, for
// profilers: it finds a frame, or that none was entered.
bool StockProvider::InJavaScript() const {
  v8::RegisterState registers;
  registers.pc = __builtin_return_address(0);
  registers.fp = registers.sp = __builtin_frame_address(0);
  v8::SampleInfo info;
  void* frame;
  isolate_->GetStackSample(registers, &frame, 1, &info);
  return info.frames_count > 0;
}

void StockProvider::OnPart(void*, double async_id, double) {
  if (active != nullptr) active->PartBegin(static_cast<uint64_t>(async_id));
}

void StockProvider::OnGcBegin(v8::Isolate*, v8::GCType type,
                              v8::GCCallbackFlags, void* self_) {
  if (EDGEWISE_PROBED(gc__begin)) [[unlikely]]
    ProbeGcBegin(GcTypeOf(type));
  auto* const self = static_cast<StockProvider*>(self_);
  const uint32_t depth = self->gc_depth_++;
  if (depth == 0) self->heap_.Begin();
  if (depth < kMaxGcDepth) self->gc_begin_[depth] = Ticks();
}

void StockProvider::OnGcEnd(v8::Isolate*, v8::GCType type, v8::GCCallbackFlags,
                            void* self_) {
  auto* const self = static_cast<StockProvider*>(self_);
  if (self->gc_depth_ == 0) return;  // recording began inside this collection
  const uint32_t depth = --self->gc_depth_;
  if (depth >= kMaxGcDepth || active == nullptr) return;
  if (EDGEWISE_PROBED(gc__end)) [[unlikely]]
    ProbeGcEnd(GcTypeOf(type), Ticks() - self->gc_begin_[depth]);
  // A patched machine tells of it by itself.
  if (self->patched_ == nullptr) {
    active->Gc(GcTypeOf(type), depth, self->gc_begin_[depth], Ticks());
  }
  if (depth > 0) return;
  Record heap{};
  if (!self->heap_.End(self->gc_begin_[0], &heap)) return;
  self->recorder_->PushInner([&heap](Record& record) { record = heap; });
}

}  // namespace edgewise
