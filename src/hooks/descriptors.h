#pragma once

#include <uv.h>

#include <cstdint>
#include <vector>

#include "recorder/ready_watcher.h"
#include "trace/record.h"

namespace edgewise {

// What each descriptor of the loop is: the type of the events that it brings,
// and who times them: the kernel (TCP) or the watcher. Loop thread only.
class Descriptors {
 public:
  explicit Descriptors(uv_loop_t* loop) : loop_(loop) {}

  // Registers with `watcher` (may be null) every descriptor that libuv is about
  // to add to its epoll: its list of pending changes holds exactly those.
  // Called right before the loop waits.
  void Discover(ReadyWatcher* watcher);

  // All descriptors that the loop waits for already; once, at the start.
  void DiscoverAll(ReadyWatcher* watcher);

  struct Descriptor {
    EventType type = EventType::kUnknown;
    bool stamped = false;      // the kernel stamps its arrivals: see arrival.h
    bool from_client = false;  // a stamped connection that was accepted
    bool watched = true;       // the watcher sees when it becomes readable
    bool accepted = false;     // since the loop last waited, by it
  };

  // What `fd` is; asks the kernel the first time.
  Descriptor Of(int fd) {
    const auto index = static_cast<size_t>(fd);
    if (index < known_.size() && known_[index].type != EventType::kUnknown) {
      return known_[index];
    }
    return Classify(fd);
  }

  // `fd` is a new connection, whatever the number was before.
  void Accepted(int fd);

  // Forgets what `fd` was.
  void Drop(int fd) { known_[static_cast<size_t>(fd)] = {}; }

  // Forgets all, and has the kernel stamp no more.
  void Forget();

 private:
  void Add(int fd, ReadyWatcher* watcher);
  Descriptor& Entry(int fd);
  Descriptor Classify(int fd);
  EventType AskKernel(int fd) const;

  uv_loop_t* const loop_;
  std::vector<Descriptor> known_;  // by number
};

}  // namespace edgewise
