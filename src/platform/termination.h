#pragma once

#include <cstdint>

namespace edgewise {

// Lets helper threads finish when a signal is about to end the process.
//
// A server without a handler of its own dies of SIGTERM at once, and with it
// what the drain threads hold (the last flush period, in flight mode all), and
// a raised frequency stays. While such a thread watches, SIGTERM, SIGINT and
// SIGHUP are caught if nothing else catches them; each finishes, and the last
// one raises the signal again with the handler that was there before. A handler
// that the application installs later replaces this one; when it goes again, as
// that of once() does before it is called, CatchAgain() is called. The process
// dies of the same signal, a few milliseconds later, even if its loop is stuck.
//
// It may live on: as PID 1 of a container, where the kernel ignores a signal
// without a handler, or because the application has installed a handler
// meanwhile. Then all is as before the signal.
//
// This is one thread's part. Begin() and End() are its owner's; the other two
// the thread's, in between.
class TerminationWatch {
 public:
  TerminationWatch() = default;
  ~TerminationWatch() { End(); }
  TerminationWatch(const TerminationWatch&) = delete;
  TerminationWatch& operator=(const TerminationWatch&) = delete;

  void Begin();

  // A handler of the application's has gone: catches what nothing else does, if
  // anybody watches.
  static void CatchAgain();

  // Nobody waits for this one any more; if it is the last, a signal that has
  // come meanwhile is raised again. Idempotent.
  void End();

  // Whether a caught signal waits for this thread: it calls Finished() as soon
  // as it has.
  bool Pending() const;

  // The last one's call returns only if the process lives, after a while.
  void Finished();

 private:
  bool watching_ = false;
  uint32_t finished_ = 0;  // the signal, by its number, that it finished for
};

}  // namespace edgewise
