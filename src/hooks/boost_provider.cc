#include "hooks/boost_provider.h"

#include <errno.h>
#include <node.h>
#include <sched.h>
#include <sys/epoll.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "boost/policy/running_time.h"
#include "hooks/process_exit.h"
#include "platform/clock.h"
#include "platform/poll_wait.h"

namespace edgewise {
namespace {

thread_local BoostProvider* boost_provider
    __attribute__((tls_model("initial-exec"))) = nullptr;

// libuv 1.49.0 and 1.49.1 registered their wake-up edge-triggered: a look would
// take it away.
bool LooksAreHarmless() {
  const unsigned version = uv_version();
  return version != 0x013100 && version != 0x013101;
}

}  // namespace

BoostProvider* BoostProvider::ForThread() {
  if (boost_provider == nullptr) {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    boost_provider =
        new BoostProvider(isolate, node::GetCurrentEventLoop(isolate));
    node::AddEnvironmentCleanupHook(isolate, &BoostProvider::Dispose,
                                    boost_provider);
    // process.exit() and an uncaught exception leave the environment as it is.
    AtProcessExit(
        [](void*) {
          if (boost_provider != nullptr) boost_provider->Stop();
        },
        nullptr);
  }
  return boost_provider;
}

BoostProvider::~BoostProvider() { boost_provider = nullptr; }

void BoostProvider::Dispose(void* self_) {
  auto* const self = static_cast<BoostProvider*>(self_);
  self->Stop();
  delete self;
}

absl::Status BoostProvider::Start(BoostConfig config) {
  if (controller_ != nullptr) {
    return absl::AlreadyExistsError("this thread is boosted already");
  }
  auto actuator = MakeActuator(config.actuator);
  if (!actuator.ok()) return actuator.status();
  config.policy.transition_ns = (*actuator)->transition_ns();
  config.policy.frequencies = (*actuator)->frequencies();
  auto policy = MakePolicy(config.policies, config.policy);
  if (!policy.ok()) return policy.status();
  const bool watch = (*policy)->patience_ns() != kNever;
  // Also where the loop is not watched: signal handlers are.
  const absl::Status interposed = InstallInterposition();
  interposed_ = interposed.ok();
  queue_ = watch ? interposed : absl::OkStatus();
  watches_loop_ = watch && interposed_;
  auto switches = SwitchPauses::Start();
  if (switches.ok()) {
    switches_ = *std::move(switches);
    policy = std::make_unique<RunningTime>(*std::move(policy));
  }
  ControllerConfig controller;
  controller.stats_stem = std::move(config.stats_stem);
  if (watches_loop_ && LooksAreHarmless()) {
    controller.look_fd = uv_backend_fd(loop_);
  }
  // Its emulation steals the loop's processor: the controller's is another.
  if ((*actuator)->name() == "emulated") controller.avoid_cpu = sched_getcpu();
  controller_ = std::make_unique<Controller>(
      *std::move(policy), *std::move(actuator), std::move(controller));
  if (absl::Status started = controller_->started(); !started.ok()) {
    controller_.reset();
    switches_.reset();
    if (interposed_) RemoveInterposition();
    return started;
  }
  gc_depth_ = batch_size_ = 0;
  next_fd_ = kNoFd;
  if (watches_loop_) SetLoopObserver(this);
  isolate_->AddGCPrologueCallback(&OnGcBegin, this);
  isolate_->AddGCEpilogueCallback(&OnGcEnd, this);
  return absl::OkStatus();
}

void BoostProvider::Stop() {
  if (controller_ == nullptr) return;
  isolate_->RemoveGCPrologueCallback(&OnGcBegin, this);
  isolate_->RemoveGCEpilogueCallback(&OnGcEnd, this);
  if (watches_loop_) SetLoopObserver(nullptr);
  if (interposed_) RemoveInterposition();
  controller_.reset();
  switches_.reset();
}

// While the loop waits its thread sleeps, and nothing is late by that.
void BoostProvider::ReadPauses(bool tell) {
  constexpr int64_t kDelayIsNotAsked = std::numeric_limits<int64_t>::max();
  pauses_.clear();
  switches_->Read(kDelayIsNotAsked, &pauses_);
  if (!tell || pauses_.empty()) return;
  int64_t off_ns = 0;
  for (const Pause& pause : pauses_) off_ns += pause.in_ns - pause.out_ns;
  controller_->Note({.kind = SignalKind::kNotRun,
                     .value = static_cast<uint32_t>(off_ns / 1000),
                     .now_ns = MonotonicTickNs()});
}

uint32_t BoostProvider::RequestBegin(uint32_t route) {
  if (controller_ == nullptr) return 0;
  TellPauses();
  if (++last_request_ == 0) ++last_request_;  // 0 is none
  controller_->Post({.kind = SignalKind::kRequestBegin,
                     .route = route,
                     .request = last_request_,
                     .now_ns = MonotonicTickNs(),
                     .arrival_ns = arrival_ns_});
  return last_request_;
}

void BoostProvider::RequestEnd(uint32_t request) {
  if (controller_ == nullptr || request == 0) return;
  TellPauses();
  controller_->Post({.kind = SignalKind::kRequestEnd,
                     .request = request,
                     .now_ns = MonotonicTickNs()});
}

void BoostProvider::BeforePoll(int epoll_fd) {
  if (epoll_fd != loop_->backend_fd) return;
  TellPauses();
  controller_->Note(
      {.kind = SignalKind::kLoopIdle, .now_ns = MonotonicTickNs()});
  // Once more: if that lowered the frequency, it took as long as a short wait.
  asked_ns_ = MonotonicTickNs();
}

void BoostProvider::AfterPoll(int epoll_fd, const epoll_event* ready,
                              int count) {
  if (epoll_fd != loop_->backend_fd) return;
  const int saved_errno = errno;
  if (switches_ != nullptr && switches_->moved()) ReadPauses(/*tell=*/false);
  const int64_t now_ns = MonotonicTickNs();
  batch_size_ = std::clamp(count, 0, kMaxBatch);
  const bool slept = now_ns - asked_ns_ > LongestLookNs(count);
  arrival_ns_ = slept ? now_ns : 0;
  for (int i = 0; i < batch_size_; ++i) batch_[i] = ready[i].data.fd;
  running_ = -1;
  next_fd_ = kNoFd;
  if (batch_size_ > 0) Run(0);
  controller_->Note({.kind = SignalKind::kLoopBusy,
                     .value = static_cast<uint32_t>(batch_size_),
                     .now_ns = now_ns,
                     .arrival_ns = arrival_ns_});
  controller_->Post({.kind = SignalKind::kEventBegin, .now_ns = now_ns});
  errno = saved_errno;
}

void BoostProvider::Run(int index) {
  running_ = index;
  next_fd_ = index + 1 < batch_size_ ? batch_[index + 1] : kNoFd;
}

// The first event of a batch has begun with the wait's return; another begins
// when libuv reads a file that comes later in the batch. Reads of others are
// the application's own.
[[gnu::hot]] void BoostProvider::BeforeReceive(int fd) {
  TellPauses();
  if (fd == next_fd_) [[likely]] {
    Run(running_ + 1);
    controller_->NoteBegin(Ticks());
    return;
  }
  for (int i = running_ + 2; i < batch_size_; ++i) {
    if (batch_[i] != fd) continue;
    const uint64_t now = Ticks();
    // Files without a read in between.
    controller_->Note({.kind = SignalKind::kQueueLength,
                       .value = static_cast<uint32_t>(batch_size_ - i),
                       .now_ns = TickNs(now)});
    Run(i);
    controller_->NoteBegin(now);
    return;
  }
}

void BoostProvider::OnGcBegin(v8::Isolate*, v8::GCType type,
                              v8::GCCallbackFlags, void* self_) {
  auto* const self = static_cast<BoostProvider*>(self_);
  if (self->gc_depth_++ > 0) return;
  self->TellPauses();
  self->controller_->Post({.kind = SignalKind::kGcBegin,
                           .value = static_cast<uint32_t>(type),
                           .now_ns = MonotonicTickNs()});
}

void BoostProvider::OnGcEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags,
                            void* self_) {
  auto* const self = static_cast<BoostProvider*>(self_);
  if (self->gc_depth_ == 0) return;  // boosting began inside this collection
  if (--self->gc_depth_ > 0) return;
  self->TellPauses();
  self->controller_->Post(
      {.kind = SignalKind::kGcEnd, .now_ns = MonotonicTickNs()});
}

}  // namespace edgewise
