#pragma once

#include <uv.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "hooks/pool_jobs.h"
#include "hooks/work_names.h"
#include "recorder/event_tracker.h"

namespace edgewise {

// The type of the event in which a file operation calls back.
EventType FsEventType(uv_fs_type type);

// Names the thread pool's completions and times them.
//
// libuv hands finished requests to the loop as one queue behind one wake-up, so
// the loop's callbacks say neither what finished nor when. This takes the place
// of that wake-up's callback (uv_loop_t::wq_async, a public field): it walks
// the queue before libuv empties it, wraps each request's `done` to bracket its
// callback as an event, and reads its kind from the request around it. The
// pool's threads are seen as they take and finish each request (pool_jobs.h). A
// patched libuv has noted the end in the request. Where neither is so, the
// helper thread looks into the same queue, under its lock, to see when each
// request finished while the loop was busy.
class ThreadPoolObserver {
 public:
  // `loop` outlives this. Loop thread. Lives as long as its environment:
  // requests that were wrapped while it was enabled may finish afterwards.
  explicit ThreadPoolObserver(uv_loop_t* loop);
  ~ThreadPoolObserver();
  ThreadPoolObserver(const ThreadPoolObserver&) = delete;
  ThreadPoolObserver& operator=(const ThreadPoolObserver&) = delete;

  // Loop thread; the helper that looks has started. Events go to `tracker`
  // until Disable(), and `names` says what they are about. `stamped`: libuv is
  // patched.
  void Enable(EventTracker* tracker, WorkNames* names, bool stamped);
  void Disable();

  // Helper thread, while enabled: notes which requests have finished by
  // `ticks`. True if the loop has not taken them yet: more may join them
  // unannounced.
  bool Look(uint64_t ticks);

 private:
  using Done = void (*)(uv__work*, int);
  struct Completion {
    const uv__work* work;
    Done done;
    uint64_t ready;
    bool stamped;  // ready is when it was done, to the tick
    uint64_t taken;
  };
  // What a request is about.
  struct Subject {
    EventType type = EventType::kThreadPool;
    uint32_t name = 0;  // 0: none
  };
  struct KnownDone {
    Done done;
    uv_req_type request;
  };

  static void OnAsync(uv_async_t* async);
  static void OnDone(uv__work* work, int status);
  void WrapQueue();
  void Wrap(uv__work* work, uint64_t ready);
  Completion Take(const uv__work* work);
  void WrapLatecomer(const uv__work* done);
  uv_req_type RequestOf(uv__work* work);
  uint64_t StampOf(uv__work* work);
  Subject SubjectOf(uv__work* work);

  uv_loop_t* const loop_;
  const uv_async_cb original_;
  EventTracker* tracker_ = nullptr;  // null: disabled
  WorkNames* names_ = nullptr;
  bool stamped_ = false;
  std::deque<Completion> pending_;  // in the queue's order
  std::vector<KnownDone> known_;    // libuv has a handful

  // Under loop_->wq_mutex: written by the helper, taken by the loop.
  std::vector<uint64_t> seen_;  // by position in the queue
  PoolJobs jobs_;
};

}  // namespace edgewise
