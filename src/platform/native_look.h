#pragma once

#include <sys/types.h>

#include <cstdint>

#include "absl/status/status.h"

namespace edgewise {

// Looks at a thread of this process, whatever it runs, from another one: a
// signal has it tell its registers. The signal is one that nobody uses; it goes
// to a thread that runs, and interrupts no system call that waits.
class NativeLook {
 public:
  struct Registers {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t fp;
  };
  // Called in a signal's handler: it may only do what is allowed there.
  using Tell = void (*)(void* target, const Registers& registers);

  // Of the calling thread.
  NativeLook(Tell tell, void* target);
  ~NativeLook();
  NativeLook(const NativeLook&) = delete;
  NativeLook& operator=(const NativeLook&) = delete;

  // Unavailable: every signal is taken, too many threads are looked at, this
  // architecture or kernel does not tell.
  const absl::Status& status() const { return status_; }

  // Another thread's, while the one that made it lives. A thread that waits in
  // the kernel is not looked at.
  void Look();

 private:
  absl::Status status_;
  const pid_t thread_;
  int state_fd_ = -1;  // what the kernel says of the thread
  int slot_ = -1;
};

}  // namespace edgewise
