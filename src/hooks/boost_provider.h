#pragma once

#include <uv.h>
#include <v8.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "boost/actuator.h"
#include "boost/controller.h"
#include "boost/policy.h"
#include "hooks/interpose.h"
#include "recorder/off_cpu/switch_pauses.h"

namespace edgewise {

struct BoostConfig {
  std::string policies;  // as MakePolicy() takes them
  PolicyConfig policy;
  ActuatorConfig actuator;
  std::string stats_stem;  // as ControllerConfig has it
};

// Boosts one event loop: turns what V8, the loop and the kernel's calls show
// into a controller's signals (VEE'19 sections 6 and 7). Independent of
// recording; on any Node. One per thread, kept until its environment is gone.
// Environment's thread only.
class BoostProvider : private LoopObserver {
 public:
  // The calling thread's provider, made at the first call.
  static BoostProvider* ForThread();

  // Begins to boost. AlreadyExists: it does already; others as MakePolicy() and
  // MakeActuator() say.
  absl::Status Start(BoostConfig config);

  // Stops, and restores the frequency. No effect when it does not boost.
  void Stop();

  // Null when it does not boost.
  Controller* controller() { return controller_.get(); }

  // Why only collections are seen; Ok: the loop's queue is seen too, or the
  // policy does not ask for it.
  const absl::Status& queue_status() const { return queue_; }

  // A request of `route` (0: not known) begins in the event that runs; its
  // number, for RequestEnd().
  uint32_t RequestBegin(uint32_t route);
  void RequestEnd(uint32_t request);

 private:
  explicit BoostProvider(v8::Isolate* isolate, uv_loop_t* loop)
      : isolate_(isolate), loop_(loop) {}
  ~BoostProvider() override;

  void BeforePoll(int epoll_fd) override;
  void AfterPoll(int epoll_fd, const epoll_event* ready, int count) override;
  void BeforeReceive(int fd) override;

  // The event of the batch's file `index` runs.
  void Run(int index);
  // Tells for how long the thread has not run since this was last asked.
  void TellPauses() {
    if (switches_ != nullptr && switches_->moved()) [[unlikely]]
      ReadPauses(/*tell=*/true);
  }
  void ReadPauses(bool tell);

  static void OnGcBegin(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void*);
  static void OnGcEnd(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void*);
  static void Dispose(void* provider);

  v8::Isolate* const isolate_;
  uv_loop_t* const loop_;
  bool interposed_ = false;
  bool watches_loop_ = false;
  absl::Status queue_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<SwitchPauses> switches_;  // null: not to be seen
  std::vector<Pause> pauses_;
  int gc_depth_ = 0;
  uint32_t last_request_ = 0;

  // The batch that the last wait returned: its files in the order in which
  // libuv serves them, up to the one whose event runs.
  static constexpr int kMaxBatch = 1024;
  static constexpr int kNoFd = -1;
  int batch_size_ = 0;
  int running_ = 0;
  int next_fd_ = kNoFd;
  int batch_[kMaxBatch];
  int64_t asked_ns_ = 0;  // the loop began to wait
  int64_t arrival_ns_ =
      0;  // of the batch, if the loop slept until then; else 0
};

}  // namespace edgewise
