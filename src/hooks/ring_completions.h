#pragma once

#include <sys/epoll.h>
#include <uv.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hooks/work_names.h"
#include "recorder/event_tracker.h"
#include "recorder/ready_watcher.h"

namespace edgewise {

// Names the file operations that libuv has the kernel do through io_uring
// (UV_USE_IO_URING, Node 20), which no thread pool and no read announces.
//
// Their completions lie in a ring that the kernel shares with whoever maps its
// file. This maps it for reading, walks what is new before libuv does and wraps
// each request's callback, as ThreadPoolObserver does. Loop thread.
class RingCompletions {
 public:
  // `loop` outlives this.
  explicit RingCompletions(uv_loop_t* loop) : loop_(loop) {}
  ~RingCompletions();
  RingCompletions(const RingCompletions&) = delete;
  RingCompletions& operator=(const RingCompletions&) = delete;

  // `watcher` may be null. No effect where libuv uses no rings.
  void Enable(EventTracker* tracker, WorkNames* names, ReadyWatcher* watcher);
  void Disable();

  // The loop was told of `count` files and has not handled them.
  void Look(const epoll_event* ready, int count) {
    if (tracker_ != nullptr) [[unlikely]]
      LookAt(ready, count);
  }

 private:
  // The kernel's entry (struct io_uring_cqe).
  struct Completion {
    uint64_t user_data;
    int32_t result;
    uint32_t flags;
  };
  struct Ring {
    int fd = -1;  // the loop's
    const std::byte* memory = nullptr;
    size_t bytes = 0;
    uint32_t next = 0;  // the first that was not looked at
  };
  struct Wrapped {
    const uv_fs_t* request;
    uv_fs_cb callback;
    EventType type;
    uint64_t ready;
  };

  void LookAt(const epoll_event* ready, int count);
  void LookAt(Ring* ring, uint64_t ready);
  void Wrap(uv_fs_t* request, uint64_t ready);
  Ring* RingOf(int fd);
  static bool Map(int fd, Ring* ring);
  static void OnFile(uv_fs_t* request);

  uv_loop_t* const loop_;
  EventTracker* tracker_ = nullptr;  // null: disabled
  WorkNames* names_ = nullptr;
  ReadyWatcher* watcher_ = nullptr;
  std::vector<Ring> rings_;  // a loop has one
  std::vector<Wrapped> wrapped_;
};

}  // namespace edgewise
