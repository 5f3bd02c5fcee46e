#pragma once

#include <uv.h>
#include <v8.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "hooks/descriptors.h"
#include "hooks/heap_sizes.h"
#include "hooks/interpose.h"
#include "hooks/loop_timers.h"
#include "hooks/patched_v8.h"
#include "hooks/ring_completions.h"
#include "hooks/stack_sampler.h"
#include "hooks/thread_pool.h"
#include "hooks/unix_ends.h"
#include "hooks/work_names.h"
#include "recorder/connections.h"
#include "recorder/event_tracker.h"
#include "recorder/host_names.h"
#include "recorder/off_cpu/off_cpu.h"
#include "recorder/questions.h"
#include "recorder/ready_watcher.h"
#include "recorder/recorder.h"
#include "recorder/stacks/stall_watch.h"

namespace edgewise {

struct ProviderConfig {
  RecorderConfig recorder;
  int64_t watcher_interval_ns = 100'000;  // 0: no helper thread
  int64_t slo_ns = 0;                     // 0: none
  int64_t stack_period_ns = 0;            // 0: no stacks
  Burst burst{0};                         // when they are sampled
  std::unique_ptr<StallWatch> stalls;     // may be null
  std::string own_scripts;                // what begins the names of ours
  bool whole_paths = false;               // of files
  std::unique_ptr<OffCpu> off_cpu;        // of the thread; may be null
  AsyncIds ids;
};

// Records the events of one Node environment (the main thread or a worker) on
// an unpatched Node: call boundaries and garbage collections from V8, the
// loop's phases and pending descriptors from libuv, the system calls that read
// from interposition. A patched Node adds what only it knows (PatchedV8), and
// replaces the collections. One per thread, kept until the environment is gone,
// on and off any number of times. Environment's thread only.
class StockProvider : private SystemCallObserver {
 public:
  // The calling thread's provider, made at the first call.
  static StockProvider* ForThread();

  // The calling thread's tracker while it records, else null: what the calls
  // from JavaScript use.
  static EventTracker* Tracker();

  // Node counts its timers' milliseconds from the environment's begin. Of the
  // calling thread's: what that clock says now; and when a timer that is due at
  // a time of it is due by CLOCK_MONOTONIC, ns: -1 where `due_ms` is no time.
  static void SetTimerClock(double now_ms);
  static int64_t TimerDueNs(double due_ms);
  // The loop's own clock, which uv_update_time() sets.
  static double LoopMs();

  // A promise of the calling thread's goes on: in an event, from now on.
  static void EnterContinuation();

  // A request of the calling thread took `latency_ticks`: in flight mode, one
  // above the objective has what led to it written out.
  static void NoteLatency(uint64_t latency_ticks);

  // What the calling thread's program says of itself, while it records. A child
  // process began; or a pipe to it, `fd`, where that is not -1.
  static void NoteProcess(uint64_t async_id, int fd, std::string_view program);
  // What is asked by HTTP on a connection whose bytes TLS hides.
  static void NoteHttps(int fd, std::string_view method, std::string_view path);
  // A stream of HTTP/2 is asked for, or by gRPC; it is written later.
  struct AskedStream {
    uint32_t number = 0;
    uint64_t id = 0;    // its async id; 0: not known
    uint32_t wait = 0;  // which NoteWaits() was of it; 0: none
  };
  static void NoteStream(int fd, std::string_view method, std::string_view path,
                         bool grpc, const AskedStream& stream);
  // Something is asked for whose question comes later. `wait`: a number for it,
  // not 0.
  static void NoteWaits(uint32_t wait);
  // It is written next.
  static void NoteAskedFor(int fd, uint32_t wait);
  // An accepted connection whose begin may not have been seen.
  static void Adopt(int fd);
  // What is asked on a connection has named itself so.
  static void NoteAskedContext(int fd, const TraceContext& context);

  // Whether system calls can be seen in this process, and else why not.
  static absl::Status CanInterpose();

  // Begins to record into a new file. AlreadyExists: it does already.
  // Unavailable: V8 is patched, but cannot track events now; or there is no
  // thread for a helper.
  absl::Status Start(ProviderConfig config);

  // Stops and writes the rest. No effect when it is not recording.
  void Stop();

  // From now on stacks are sampled every `period_ns`; 0: not at all.
  // Unavailable: there is no thread for the helper.
  absl::Status Sample(int64_t period_ns);

  // `holder.request` is the HTTP request that began last: for a stall's route.
  void TellServing(v8::Local<v8::Object> holder) {
    serving_.Reset(isolate_, holder);
  }

  // If it records when the environment or the process ends, it stops and says
  // on stderr what was lost, and then `farewell`.
  void SayAtEnd(std::string farewell) { farewell_ = std::move(farewell); }

  bool recording() const { return tracker_ != nullptr; }
  Recorder* recorder() { return recorder_.get(); }
  const ReadyWatcher* watcher() const { return watcher_.get(); }
  SharedWords* words() { return &words_; }

 private:
  friend class EventTracker;  // asks the five below

  StockProvider(v8::Isolate* isolate, uv_loop_t* loop);
  ~StockProvider() override;

  int64_t TimersDueNs() { return timers_.NodesDueNs(); }
  int64_t NativeTimerDueNs() { return timers_.OthersDueNs(); }
  bool NativeTimerBegan() const { return timers_.OtherBegan(); }
  bool FilesMayWrite(int since_fd);
  void NoteWritable();
  int PolledFd() const;
  bool InJavaScript() const;

  [[gnu::hot]] void BeforePoll(int epoll_fd) override;
  [[gnu::hot]] void AfterPoll(int epoll_fd, bool may_wait,
                              const epoll_event* ready, int count) override;
  [[gnu::hot]] Reading BeforeRead(int fd) override;
  [[gnu::hot]] void AfterStampedRead(int fd, int64_t arrival_realtime_ns,
                                     const void* data, ssize_t bytes) override;
  void NotASocket(int fd) override { descriptors_.Drop(fd); }
  void BeforeOtherRead(int fd) override;
  void AfterOtherRead(int fd, const void* data, ssize_t bytes) override;
  void BeforeReceive(int fd) override;
  void AfterReceive(int fd) override;
  bool ReceivesNames(int fd) override { return tracker_->names().Knows(fd); }
  void AfterNamesReceived(int fd, const void* data, ssize_t bytes,
                          int64_t arrival_realtime_ns) override;
  void AfterNamesSent(int fd, const void* data, size_t bytes) override;
  void AfterAccept(int listening_fd, int new_fd) override;
  [[gnu::hot]] void AfterWrite(int fd, const void* data, size_t size,
                               ssize_t bytes) override {
    if (bytes <= 0) return;
    Connection* const connection = connections_.Of(fd);
    if (connection != nullptr && connection->role == ConnectionRole::kOpened) {
      if (connection->connecting) [[unlikely]]
        Established(fd, connection);
      return NoteQuestion(connection, data, size, bytes);
    }
    if (connection != nullptr) {
      connection->written_bytes += static_cast<uint64_t>(bytes);
    }
    // The loop knows nothing of a connection that is not read for a while.
    const bool accepted =
        connection != nullptr && connection->role == ConnectionRole::kAccepted;
    if (!accepted && !IsLoops(fd)) return;
    const uint64_t latency = tracker_->Wrote(fd, static_cast<uint64_t>(bytes));
    if (latency != 0) NoteLatency(latency);
  }
  void AfterConnect(int fd, const sockaddr* address, socklen_t length) override;
  void BeforeSocketError(int fd) override;
  void BeforeClose(int fd) override;

  static ReadOffsets OffsetsOf(const Connection* connection) {
    if (connection == nullptr) return {};
    return {static_cast<uint32_t>(connection->read_bytes),
            static_cast<uint32_t>(connection->written_bytes)};
  }
  static void NoteAnswer(Connection* connection, const void* data,
                         ssize_t bytes) {
    if (connection == nullptr || bytes <= 0) return;
    connection->read_bytes += static_cast<uint64_t>(bytes);
    if (connection->role == ConnectionRole::kOpened) {
      connection->talk.Answer(data, static_cast<size_t>(bytes));
    }
    connection->answered = connection->shaken = true;
  }
  void NoteQuestion(Connection* connection, const void* data, size_t size,
                    ssize_t bytes);
  void Established(int fd, Connection* connection);
  void PushContext(const Connection& connection, uint64_t key);
  Connection* Asking(int fd);
  void Measure(int fd, const Connection& connection);
  // Of connections whose begin was not seen.
  void Take(int fd, bool opened);
  void TakeOpen();
  void NoteAddresses(int fd, const Connection& connection, const sockaddr* peer,
                     socklen_t length);
  uint32_t InternPeer(const sockaddr* address, socklen_t length);
  absl::Status StartHelpers(const ProviderConfig& config);
  void AttachCallbacks();
  void DetachCallbacks();
  // Whether the loop waits for `fd`, its own wake-ups among them. uv_close()
  // ends that at once.
  bool IsLoops(int fd) const {
    return static_cast<unsigned>(fd) < loop_->nwatchers &&
           loop_->watchers[fd] != nullptr;
  }
  bool ReadByLoop(int fd) const;

  [[gnu::hot]] static void OnEnterJs(v8::Isolate*);
  static void OnPart(void* isolate, double async_id, double last_async_id);
  static void OnGcBegin(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void*);
  static void OnGcEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void*);
  static void OnPrepare(uv_prepare_t* handle);
  static void OnCheck(uv_check_t* handle);
  static void OnCheckEnd(uv_check_t* handle);
  static void Dispose(void* provider, void (*done)(void*), void* done_arg);
  static void AtExit(void*);
  void End();

  v8::Isolate* const isolate_;
  uv_loop_t* const loop_;
  // What a request needs lies together.
  SharedWords words_{};
  Descriptors descriptors_;
  Connections connections_;
  std::unique_ptr<OffCpu> off_cpu_;
  std::unique_ptr<EventTracker> tracker_;
  std::unique_ptr<StallWatch> stalls_;
  std::string own_scripts_;
  Burst burst_{0};                  // when stacks are sampled
  v8::Global<v8::Object> serving_;  // `request`: the one that began last
  std::unique_ptr<StackSampler> sampler_;
  bool reading_ = false;  // the system call that runs is the loop's own
  EventTracker::IoMoment stamped_began_;  // the stamped read that runs
  uint64_t poll_began_ = 0;
  ThreadPoolObserver thread_pool_;
  RingCompletions rings_;
  uv_prepare_t prepare_;
  uv_check_t check_;      // the first of the loop's
  uv_check_t check_end_;  // the last
  LoopTimers timers_;
  double timer_clock_ms_ = 0;  // loop time at which Node's clock said 0
  // What the loop's last wait found, while it polls.
  const epoll_event* ready_ = nullptr;
  int ready_count_ = 0;
  absl::Status interposition_;

  std::unique_ptr<Recorder> recorder_;
  HostNames hosts_;
  UnixEnds unix_ends_;
  std::unique_ptr<WorkNames> work_names_;
  std::unique_ptr<Questions> questions_;  // null: no connection was opened yet
  std::unique_ptr<ReadyWatcher> watcher_;
  std::unique_ptr<PatchedV8> patched_;  // null: V8 is not patched
  uint64_t slo_ticks_ = UINT64_MAX;
  std::optional<std::string> farewell_;

  static constexpr uint32_t kMaxGcDepth = 8;
  uint64_t gc_begin_[kMaxGcDepth] = {};
  uint32_t gc_depth_ = 0;
  HeapSizes heap_;

  // The environment's cleanup, while it waits for its handles to close.
  int handles_open_ = 3;
  void (*disposed_)(void*) = nullptr;
  void* disposed_arg_ = nullptr;
};

}  // namespace edgewise
