#pragma once

#include <uv.h>

#include <cstdint>
#include <vector>

#include "recorder/ready_watcher.h"
#include "trace/record.h"

namespace edgewise {

// What each descriptor of the loop is: the type of the events that it brings.
// Loop thread only.
class Descriptors {
 public:
  explicit Descriptors(uv_loop_t* loop) : loop_(loop) {}

  // Registers with `watcher` (may be null) every descriptor that libuv is about
  // to add to its epoll: its list of pending changes holds exactly those.
  // Called right before the loop waits.
  void Discover(ReadyWatcher* watcher);

  // All descriptors that the loop waits for already; once, at the start.
  void DiscoverAll(ReadyWatcher* watcher);

  // The event type of a read on `fd`; asks the kernel the first time.
  EventType TypeOf(int fd) {
    if (static_cast<size_t>(fd) < types_.size() &&
        types_[static_cast<size_t>(fd)] != EventType::kUnknown) {
      return types_[static_cast<size_t>(fd)];
    }
    return Classify(fd);
  }

  void Forget() { types_.clear(); }

 private:
  void Add(int fd, ReadyWatcher* watcher);
  EventType Classify(int fd);
  EventType AskKernel(int fd) const;

  uv_loop_t* const loop_;
  std::vector<EventType> types_;  // by descriptor
};

}  // namespace edgewise
