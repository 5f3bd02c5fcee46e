#pragma once

#include <sys/types.h>

#include <atomic>

namespace edgewise {

// A system call on a descriptor that is made in another one's place, and that a
// sandbox may refuse though it allows the other one (seccomp: containers,
// browsers' and systemd's filters). Such a filter answers whatever it likes,
// mostly EPERM or ENOSYS. What the call itself answers must reach its caller,
// and a refusal must not: they are told apart by asking for a descriptor that
// there cannot be, of which the kernel says EBADF and the filter what it always
// says. A refusal is remembered by the process: it is met once.
//
// Any thread, and in signal handlers; errno stays. Relaxed throughout: who does
// not know of a refusal yet meets it.
class StandInCall {
 public:
  // `number`: SYS_..., whose first argument is a descriptor, and which reads
  // nothing of an empty buffer.
  explicit constexpr StandInCall(long number) : number_(number) {}

  bool refused() const { return refused_.load(std::memory_order_relaxed); }

  // Asks now.
  bool Probe();

  // `result`, with errno, is what the call said of `fd`, and is not positive.
  // True: not the call's own word, or not of such a file; the other call is to
  // be made. `wanted`: whether it was asked for more than nothing.
  bool IsRefusal(ssize_t result, int fd, bool wanted);

 private:
  const long number_;
  std::atomic<bool> refused_{false};
};

}  // namespace edgewise
