#pragma once

// Writes out what is recorded when a signal is about to end the process.
//
// A server without a handler of its own dies of SIGTERM at once, and with it
// what the drain threads hold: the last flush period, in flight mode all. While
// somebody records, SIGTERM, SIGINT and SIGHUP are caught if nothing else
// catches them; each drain thread writes its rest, and the last one raises the
// signal again with the handler that was there before. A handler that the
// application installs later replaces this one. The process dies of the same
// signal, a few milliseconds later, even if its loop is stuck.

namespace edgewise {

// One more recorder is active in this process; one less.
void BeginTerminationWatch();
void EndTerminationWatch();

// Whether a caught signal waits for the recorders. Any thread.
bool TerminationPending();

// The caller has written all that it holds; called once per recorder while
// TerminationPending(). The last call does not return.
void TerminationFlushed();

}  // namespace edgewise
