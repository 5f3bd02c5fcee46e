#pragma once

#include <cstdint>

namespace edgewise {

// What a controller's thread sleeps in: it ends when a time has come, when
// somebody wakes it, and when something becomes ready that an event loop waits
// for.
//
// The loop's epoll file is watched by another one, edge by edge: each new
// readiness is told once, whether the loop takes it or not, and nothing is
// taken from the loop. What epoll cannot give (no descriptor left) is left out:
// then it only sleeps.
class QueueWatch {
 public:
  enum class Arrival : uint8_t {
    kNone,
    kBefore,  // something had become ready when Sleep() was called
    kNow,     // something became ready, which ended the sleep
  };

  // `loop_fd`: the loop's epoll file, whose events are level-triggered; -1: no
  // loop is watched.
  explicit QueueWatch(int loop_fd);
  ~QueueWatch();
  QueueWatch(const QueueWatch&) = delete;
  QueueWatch& operator=(const QueueWatch&) = delete;

  // One thread. At most `ns`; ends early for Wake(), if `listens` for what has
  // become ready and was not yet told, and at the time of an earlier sleep that
  // was ended early: a timer that is set stays set.
  Arrival Sleep(int64_t ns, bool listens);

  // Any thread; counts for a Sleep() that is still to come, too. A system call.
  void Wake();

  // How many of the loop's files are ready, at most 256; -1: cannot be told.
  int CountReady() const;

 private:
  bool TakeArrival();
  void SetTimer(int64_t ns);

  const int loop_fd_;
  const int wake_fd_;     // an eventfd
  const int timer_fd_;    // a timerfd
  const int watch_fd_;    // the epoll file that watches the loop's
  int64_t timer_ns_ = 0;  // when it fires, or has fired
};

}  // namespace edgewise
