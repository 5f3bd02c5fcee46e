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

thread_local StockProvider* provider
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

// Node's first timer handle is the one that all JavaScript timers share.
const uv_timer_t* FindNodeTimer(uv_loop_t* loop) {
  const uv_timer_t* found = nullptr;
  uv_walk(
      loop,
      [](uv_handle_t* handle, void* result) {
        auto** timer = static_cast<const uv_timer_t**>(result);
        if (*timer == nullptr && handle->type == UV_TIMER) {
          *timer = reinterpret_cast<const uv_timer_t*>(handle);
        }
      },
      &found);
  return found;
}

// libuv runs the check handles that were started last first, and puts each that
// has run behind the others: what stands last stays there, unless it was put
// there while they run.
void RunLast(uv_loop_t* loop, uv_check_t* check) {
  // struct uv__queue is {next, prev}; older headers spell it void*[2].
  struct Node {
    Node* next;
    Node* previous;
  };
  auto* const node = reinterpret_cast<Node*>(&check->queue);
  auto* const head = reinterpret_cast<Node*>(&loop->check_handles);
  if (head->previous == node) return;
  node->previous->next = node->next;
  node->next->previous = node->previous;
  node->next = head;
  node->previous = head->previous;
  head->previous->next = node;
  head->previous = node;
}

// Whether `watcher` is that of a uv_poll_t, whose file its owner reads.
bool IsPolled(const uv_loop_t* loop, const uv__io_t* watcher) {
  const auto* const handle = reinterpret_cast<const uv_handle_t*>(
      reinterpret_cast<const char*>(watcher) - offsetof(uv_poll_t, io_watcher));
  // In other handles the watcher stands elsewhere.
  return handle->loop == loop && handle->type == UV_POLL;
}

// The first of the timers that will be due, but for `except`; null: none.
const uv_timer_t* FirstTimer(uv_loop_t* loop, const uv_timer_t* except) {
  // A timer is a node of libuv's heap, {left, right, parent}, by the three
  // pointers before its time.
  struct Node {
    const Node* left;
    const Node* right;
    const Node* parent;
  };
  const auto timer_of = [](const Node* node) {
    return node == nullptr ? nullptr
                           : reinterpret_cast<const uv_timer_t*>(
                                 reinterpret_cast<const char*>(node) +
                                 sizeof(Node) - offsetof(uv_timer_t, timeout));
  };
  const auto* const top = static_cast<const Node*>(loop->timer_heap.min);
  const uv_timer_t* const first = timer_of(top);
  if (first == nullptr || first != except) return first;
  const uv_timer_t* const left = timer_of(top->left);
  const uv_timer_t* const right = timer_of(top->right);
  if (left == nullptr || right == nullptr) return left;
  return left->timeout <= right->timeout ? left : right;
}

// What libuv's signal handler writes to the loop's signal pipe.
struct SignalMessage {
  uv_signal_t* handle;
  int signal;
};

}  // namespace

StockProvider* StockProvider::ForThread() {
  if (provider == nullptr) {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    provider = new StockProvider(isolate, node::GetCurrentEventLoop(isolate));
    node::AddEnvironmentCleanupHook(isolate, &StockProvider::Dispose, provider);
    // process.exit() and an uncaught exception leave the environment as it is.
    AtProcessExit(&StockProvider::AtExit, nullptr);
  }
  return provider;
}

EventTracker* StockProvider::Tracker() { return active; }

absl::Status StockProvider::CanInterpose() {
  absl::Status status = InstallInterposition();
  if (status.ok()) RemoveInterposition();
  return status;
}

void StockProvider::NoteLatency(uint64_t latency_ticks) {
  if (latency_ticks > provider->slo_ticks_) provider->recorder_->RequestDump();
}

void StockProvider::SetTimerClock(double now_ms) {
  provider->timer_clock_ms_ =
      static_cast<double>(uv_now(provider->loop_)) - now_ms;
}

int64_t StockProvider::TimerDueNs(double due_ms) {
  constexpr double kMostMs = 1e12;
  const double ms = provider->timer_clock_ms_ + due_ms;
  return ms > 0 && ms < kMostMs ? static_cast<int64_t>(ms) * 1'000'000 : -1;
}

StockProvider::StockProvider(v8::Isolate* isolate, uv_loop_t* loop)
    : isolate_(isolate),
      loop_(loop),
      descriptors_(loop),
      thread_pool_(loop),
      rings_(loop) {
  node_timer_ = FindNodeTimer(loop);
  uv_prepare_init(loop, &prepare_);
  uv_check_init(loop, &check_);
  uv_check_init(loop, &check_end_);
  uv_unref(reinterpret_cast<uv_handle_t*>(&prepare_));
  uv_unref(reinterpret_cast<uv_handle_t*>(&check_));
  uv_unref(reinterpret_cast<uv_handle_t*>(&check_end_));
  prepare_.data = check_.data = check_end_.data = this;
}

StockProvider::~StockProvider() { provider = nullptr; }

// Of the main thread's process, whose end needs no listener of JavaScript's.
void StockProvider::AtExit(void*) {
  if (provider != nullptr) provider->End();
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
  slo_ticks_ = config.slo_ns > 0 ? NsToTicks(static_cast<double>(config.slo_ns))
                                 : UINT64_MAX;
  tracker_ = std::make_unique<EventTracker>(
      recorder_.get(), watcher_.get(), config.ids, &words_, patched_.get());
  if (config.slo_ns > 0) tracker_->WantLatencies();
  NoteTimer();
  AttachCallbacks();
  active = tracker_.get();
  const bool main_script = !uv_loop_alive(loop_) || loop_->time == 0;
  tracker_->Attach(main_script ? EventType::kMain : EventType::kUnknown);
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
  tracker_->Detach();
  active = nullptr;
  DetachCallbacks();
  watcher_.reset();  // joins the helper, which uses thread_pool_
  recorder_->Stop();
  tracker_.reset();
  patched_.reset();
  questions_.reset();
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
    rings_.Enable(tracker_.get(), watcher_.get());
  }
  thread_pool_.Enable(tracker_.get(), patched_ != nullptr);
  isolate_->AddBeforeCallEnteredCallback(&OnEnterJs);
  if (patched_ != nullptr) {
    patched_->WatchParts(&OnPart);
    return;
  }
  isolate_->AddGCPrologueCallback(&OnGcBegin, this);
  isolate_->AddGCEpilogueCallback(&OnGcEnd, this);
}

void StockProvider::DetachCallbacks() {
  isolate_->RemoveBeforeCallEnteredCallback(&OnEnterJs);
  if (patched_ == nullptr) {
    isolate_->RemoveGCPrologueCallback(&OnGcBegin, this);
    isolate_->RemoveGCEpilogueCallback(&OnGcEnd, this);
    gc_depth_ = 0;
  }
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
  if (active != nullptr) active->EnterJs(*provider);
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

void StockProvider::NoteTimer() {
  if (node_timer_ == nullptr) return;
  timer_was_active_ =
      uv_is_active(reinterpret_cast<const uv_handle_t*>(node_timer_)) != 0;
  timer_was_due_ms_ = node_timer_->timeout;
}

// libuv stops a due timer before it calls back, and JavaScript never stops
// Node's timer: not active now, but so at the check phase or set since, it is
// due.
int64_t StockProvider::TimersDueNs() {
  if (node_timer_ == nullptr) return -1;
  const bool was_set =
      timer_was_active_ || node_timer_->timeout != timer_was_due_ms_;
  if (!was_set ||
      uv_is_active(reinterpret_cast<const uv_handle_t*>(node_timer_)) != 0) {
    return -1;
  }
  NoteTimer();
  return static_cast<int64_t>(node_timer_->timeout) * 1'000'000;
}

// A timer that is not Node's and was due when the loop took its timers.
int64_t StockProvider::NativeTimerDueNs() const {
  return native_timer_due_ms_ <= loop_->time
             ? static_cast<int64_t>(native_timer_due_ms_) * 1'000'000
             : -1;
}

bool StockProvider::FilesMayWrite() const {
  for (int i = 0; i < ready_count_; ++i) {
    if ((ready_[i].events & EPOLLOUT) != 0) return true;
  }
  return false;
}

int StockProvider::PolledFd() const {
  int polled = kNoFd;
  for (int i = 0; i < ready_count_; ++i) {
    const int fd = ready_[i].data.fd;
    if (!IsLoops(fd) || !IsPolled(loop_, loop_->watchers[fd])) continue;
    if (tracker_->names().Knows(fd)) continue;  // It calls back later.
    if (polled != kNoFd) return kNoFd;
    polled = fd;
  }
  return polled;
}

void StockProvider::OnPrepare(uv_prepare_t* handle) {
  auto* const self = static_cast<StockProvider*>(handle->data);
  RunLast(self->loop_, &self->check_end_);
  if (self->tracker_->names().waiting()) {
    const int64_t due_ns = self->NativeTimerDueNs();
    if (due_ns >= 0) self->tracker_->NativeTimerRan(due_ns);
  }
  if (self->interposition_.ok()) {
    self->descriptors_.Discover(self->watcher_.get());
  } else {
    self->tracker_->PollBegin(Ticks());
  }
}

void StockProvider::OnCheck(uv_check_t* handle) {
  auto* const self = static_cast<StockProvider*>(handle->data);
  self->tracker_->CheckBegin();
  self->NoteTimer();
  self->ready_count_ = 0;
}

void StockProvider::OnCheckEnd(uv_check_t* handle) {
  auto* const self = static_cast<StockProvider*>(handle->data);
  self->tracker_->CheckEnd(self->loop_->closing_handles != nullptr);
  const uv_timer_t* const timer = FirstTimer(self->loop_, self->node_timer_);
  self->native_timer_due_ms_ = timer != nullptr ? timer->timeout : kNever;
}

void StockProvider::BeforePoll(int epoll_fd) {
  if (epoll_fd != loop_->backend_fd) return;
  poll_began_ = Ticks();
  tracker_->PollBegin(poll_began_);
  if (watcher_ != nullptr) watcher_->LoopWaits();
}

void StockProvider::AfterPoll(int epoll_fd, bool may_wait,
                              const epoll_event* ready, int count) {
  if (epoll_fd != loop_->backend_fd) return;
  ready_ = ready;
  ready_count_ = count;
  rings_.Look(ready, count);
  const uint64_t now = Ticks();
  const bool waited =
      may_wait && TickNs(now - poll_began_) > LongestLookNs(count);
  const int cpu = sched_getcpu();
  recorder_->LoopRunsOn(cpu);
  if (watcher_ != nullptr) watcher_->LoopGoesOn(now, waited, cpu);
  tracker_->PollEnd(waited, now);
}

// Reads that JavaScript makes (fs.readSync) are part of the running event, not
// the begin of another. Only files and pipes are read like that.
bool StockProvider::ReadByLoop(int fd) const {
  return fd == loop_->async_io_watcher.fd ||
         fd == loop_->signal_io_watcher.fd || !InJavaScript();
}

// What is not the loop's is read by JavaScript, by a loop that spawnSync() has
// made, or by libuv's handler of signals. What is known of its number may be of
// a connection that had it before, and is asked anew when the loop gets it.
SystemCallObserver::Reading StockProvider::BeforeRead(int fd) {
  if (!IsLoops(fd)) return Reading::kUnseen;
  const Descriptors::Descriptor descriptor = descriptors_.Of(fd);
  if (!descriptor.stamped) return Reading::kOther;
  // The event begins when the kernel has agreed that it is a socket.
  stamped_began_ = tracker_->BeforeIo(fd, descriptor.watched);
  return Reading::kStamped;
}

void StockProvider::AfterStampedRead(int fd, int64_t arrival_realtime_ns,
                                     const void* data, ssize_t bytes) {
  tracker_->IoBegan(EventType::kTcpRead, fd, stamped_began_);
  tracker_->IoEnd(arrival_realtime_ns);
  NoteAnswer(fd, data, bytes);
}

void StockProvider::BeforeOtherRead(int fd) {
  const Descriptors::Descriptor descriptor = descriptors_.Of(fd);
  reading_ = ReadByLoop(fd);
  if (reading_) tracker_->IoBegin(descriptor.type, fd, descriptor.watched);
}

void StockProvider::AfterOtherRead(int fd, const void* data, ssize_t bytes) {
  if (!reading_) return;
  uint64_t count = 0;  // of an eventfd
  if (fd == loop_->async_io_watcher.fd &&
      bytes == static_cast<ssize_t>(sizeof(count))) {
    std::memcpy(&count, data, sizeof(count));
    tracker_->WokenBy(count);
  }
  tracker_->IoEnd(/*arrival_realtime_ns=*/0);
  NoteAnswer(fd, data, bytes);
  if (fd != loop_->signal_io_watcher.fd) return;
  SignalMessage message;
  if (bytes >= static_cast<ssize_t>(sizeof(message))) {
    std::memcpy(&message, data, sizeof(message));
    if (message.signal == SIGCHLD) tracker_->Refine(EventType::kChild);
  }
}

void StockProvider::BeforeReceive(int fd) {
  reading_ = IsLoops(fd);
  if (!reading_) return;
  const Descriptors::Descriptor descriptor = descriptors_.Of(fd);
  const bool may_be_script = descriptor.type == EventType::kPipeRead ||
                             descriptor.type == EventType::kPoll;
  reading_ = !may_be_script || ReadByLoop(fd);
  if (reading_) tracker_->IoBegin(descriptor.type, fd, descriptor.watched);
}

void StockProvider::AfterReceive(int) {
  if (reading_) tracker_->IoEnd(/*arrival_realtime_ns=*/0);
}

void StockProvider::AfterNamesReceived(int fd, const void* data, ssize_t bytes,
                                       int64_t arrival_realtime_ns) {
  if (bytes < 0 && errno == EAGAIN) return;
  // libuv gives up a file that has an error before it says so.
  if (!reading_) tracker_->IoBegin(EventType::kUdpRead, fd, /*watched=*/true);
  tracker_->IoEnd(arrival_realtime_ns);
  tracker_->NameReceived(fd, static_cast<const uint8_t*>(data), bytes);
}

void StockProvider::AfterNamesSent(int fd, const void* data, size_t bytes) {
  int type = 0;
  socklen_t length = sizeof(type);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0) return;
  StampArrivals(fd);
  tracker_->NameSent(fd, type == SOCK_STREAM, static_cast<const uint8_t*>(data),
                     bytes);
}

void StockProvider::AfterAccept(int listening_fd, int new_fd) {
  if (!reading_) return;
  tracker_->Accepted(new_fd);
  if (new_fd < 0) return;
  descriptors_.Accepted(new_fd);
  const Connection* const connection =
      connections_.Begin(new_fd, ConnectionRole::kAccepted);
  if (connection != nullptr) tracker_->ConnectionBegan(*connection, new_fd, 0);
}

void StockProvider::OnPart(void*, double async_id, double) {
  if (active != nullptr) active->PartBegin(static_cast<uint64_t>(async_id));
}

void StockProvider::OnGcBegin(v8::Isolate*, v8::GCType, v8::GCCallbackFlags,
                              void* self_) {
  auto* const self = static_cast<StockProvider*>(self_);
  const uint32_t depth = self->gc_depth_++;
  if (depth < kMaxGcDepth) self->gc_begin_[depth] = Ticks();
}

void StockProvider::OnGcEnd(v8::Isolate*, v8::GCType type, v8::GCCallbackFlags,
                            void* self_) {
  auto* const self = static_cast<StockProvider*>(self_);
  if (self->gc_depth_ == 0) return;  // recording began inside this collection
  const uint32_t depth = --self->gc_depth_;
  if (depth >= kMaxGcDepth || active == nullptr) return;
  active->Gc(GcTypeOf(type), depth, self->gc_begin_[depth], Ticks());
}

}  // namespace edgewise
