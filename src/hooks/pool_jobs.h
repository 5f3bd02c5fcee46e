#pragma once

#include <uv.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace edgewise {

// When a thread of libuv's pool took a request up, and when it had done it:
// ticks; 0: not known.
struct PoolJob {
  const void* node = nullptr;  // uv__work::wq
  uint64_t taken = 0;
  uint64_t done = 0;
};

// The requests of one loop that the pool has finished.
//
// The pool is one for the process, has no public face, and stamps nothing. But
// its threads (threadpool.c of libuv 1.x, worker()) make the same four calls
// for each request, through Node's imports:
//
//   unlock the pool's mutex     the request was taken from the queue
//   lock uv_loop_t::wq_mutex    it is done; that mutex is a public field
//   unlock it                   it stands last in uv_loop_t::wq
//   lock the pool's mutex       to take the next one
//
// The last call tells which the pool's mutex is. Before that it is the one that
// libuv makes after it has called pthread_atfork(); or, where the pool began
// earlier, the one that a thread has waited with: before its first request a
// thread of the pool has waited with no other.
class PoolJobs {
 public:
  // `loop` outlives this.
  explicit PoolJobs(uv_loop_t* loop) : loop_(loop) {}
  ~PoolJobs() { Disable(); }
  PoolJobs(const PoolJobs&) = delete;
  PoolJobs& operator=(const PoolJobs&) = delete;

  // Whether the pool's calls can be seen in this process, and else why not.
  static absl::Status CanSee();

  // How many threads the pool has, of those that have waited or worked since it
  // is looked at: all, where that was from its begin, or where requests had to
  // wait. 0: none.
  static uint32_t Threads();

  // Loop thread.
  void Enable();
  void Disable();

  // Under the loop's wq_mutex, in the order of its queue: what is known of the
  // request.
  PoolJob Take(const void* node);
  // All that are in the queue were taken. One that joined it between that and
  // libuv's own look stays until it is asked for.
  void Clear() { first_ = end_ = 0; }

  // For the calls that are watched: under the loop's wq_mutex.
  const void* Last() const;
  void Post(const PoolJob& job);
  bool IsEmpty() const { return Last() == &loop_->wq; }
  bool IsLoopThread() const;

 private:
  static constexpr size_t kMost = 1024;  // between two looks of the loop

  uv_loop_t* const loop_;
  uv_thread_t thread_{};
  bool enabled_ = false;
  // Under the loop's wq_mutex: written by the pool's threads, taken by the
  // loop.
  std::array<PoolJob, kMost> jobs_{};
  size_t first_ = 0;
  size_t end_ = 0;
};

}  // namespace edgewise
