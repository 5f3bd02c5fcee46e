#include "platform/termination.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};

// A process that dies of a signal is gone by then.
constexpr int64_t kDyingNs = 100'000'000;

// Signal dispositions belong to the process, and so does this state.
std::mutex watch_mutex;  // guards all but the atomic
int watchers = 0;
std::array<struct sigaction, kSignals.size()> previous{};
std::array<bool, kSignals.size()> caught{};
uint32_t number = 1;  // of the signal that is pending, or comes next
int finished = 0;     // watchers that have finished for it
bool raised = false;  // it was raised again

std::atomic<int> pending_signal{0};  // handler writes, watching threads read
static_assert(std::atomic<int>::is_always_lock_free, "used in a handler");

void OnTermination(int signal) {
  pending_signal.store(signal, std::memory_order_release);
}

bool IsOurs(const struct sigaction& action) {
  return action.sa_handler == &OnTermination;
}

void Restore(size_t i) {
  struct sigaction now {};
  if (caught[i] && sigaction(kSignals[i], nullptr, &now) == 0 && IsOurs(now)) {
    sigaction(kSignals[i], &previous[i], nullptr);
  }
  caught[i] = false;
}

// libuv's handlers, once installed, stand for the application's own.
bool EndsTheProcess(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 &&
         (action.sa_handler == SIG_DFL ||
          (action.sa_flags & SA_RESETHAND) != 0);
}

// Caught is only what can be raised again, which a sandbox may refuse.
bool MayRaise() { return kill(getpid(), 0) == 0; }

void RaiseAgain(int signal) {
  if (kill(getpid(), signal) == 0) return;
  // A sandbox that has come since. Another call does the same; and a process
  // that is told to end must end.
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  if (raise(signal) == 0) return;
  struct sigaction now {};
  const bool deadly =
      sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_DFL;
  if (deadly && getpid() != 1) _exit(128 + signal);
}

void CatchAll() {
  if (!MayRaise()) return;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    if (sigaction(kSignals[i], nullptr, &action) != 0) continue;
    if (!EndsTheProcess(action)) continue;
    previous[i] = action;
    action = {};
    action.sa_handler = &OnTermination;
    action.sa_flags = SA_RESTART;
    caught[i] = sigaction(kSignals[i], &action, nullptr) == 0;
  }
}

void RestoreAll() {
  for (size_t i = 0; i < kSignals.size(); ++i) Restore(i);
}

// What comes from now on is the next signal.
void Forget() {
  pending_signal.store(0, std::memory_order_release);
  ++number;
  finished = 0;
  raised = false;
}

}  // namespace

void TerminationWatch::Begin() {
  const std::lock_guard lock(watch_mutex);
  watching_ = true;
  if (watchers++ == 0) CatchAll();
}

void TerminationWatch::CatchAgain() {
  const std::lock_guard lock(watch_mutex);
  if (watchers > 0 && !raised) CatchAll();
}

void TerminationWatch::End() {
  std::unique_lock lock(watch_mutex);
  if (!watching_) return;
  watching_ = false;
  if (finished_ == number) --finished;
  if (--watchers > 0) return;
  RestoreAll();
  const int signal = pending_signal.load(std::memory_order_acquire);
  Forget();
  lock.unlock();
  // It has waited long enough.
  if (signal != 0) RaiseAgain(signal);
}

bool TerminationWatch::Pending() const {
  if (pending_signal.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(watch_mutex);
  if (pending_signal.load(std::memory_order_relaxed) == 0 || raised) {
    return false;
  }
  // All have finished without raising it: the one that had not has ended.
  return finished_ != number || finished >= watchers;
}

void TerminationWatch::Finished() {
  std::unique_lock lock(watch_mutex);
  const int signal = pending_signal.load(std::memory_order_acquire);
  if (signal == 0 || raised) return;
  if (std::exchange(finished_, number) != number) ++finished;
  if (finished < watchers) return;
  raised = true;
  RestoreAll();
  lock.unlock();
  // Node's own handler may take the signal on another thread: nothing may wait
  // for this one, which waits for the end.
  RaiseAgain(signal);
  SleepNs(kDyingNs);
  lock.lock();
  Forget();
  CatchAll();
}

}  // namespace edgewise
