#pragma once

// Lets helper threads finish when a signal is about to end the process.
//
// A server without a handler of its own dies of SIGTERM at once, and with it
// what the drain threads hold (the last flush period, in flight mode all), and
// a raised frequency stays. While such a thread watches, SIGTERM, SIGINT and
// SIGHUP are caught if nothing else catches them; each finishes, and the last
// one raises the signal again with the handler that was there before. A handler
// that the application installs later replaces this one. The process dies of
// the same signal, a few milliseconds later, even if its loop is stuck.

namespace edgewise {

// One more thread watches in this process; one less.
void BeginTerminationWatch();
void EndTerminationWatch();

// Whether a caught signal waits for those threads. Any thread.
bool TerminationPending();

// The caller has finished; called once by each watching thread while
// TerminationPending(). The last call does not return.
void TerminationFinished();

}  // namespace edgewise
