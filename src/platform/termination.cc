#include "platform/termination.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

namespace edgewise {
namespace {

constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};

// Signal dispositions belong to the process, and so does this state.
std::mutex watch_mutex;  // guards the three below
int watchers = 0;
std::array<struct sigaction, kSignals.size()> previous{};
std::array<bool, kSignals.size()> caught{};

std::atomic<int> pending_signal{0};  // handler writes, drain threads read
std::atomic<int> flushed{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a handler");

void OnSignal(int signal) {
  pending_signal.store(signal, std::memory_order_release);
}

bool IsOurs(const struct sigaction& action) {
  return action.sa_handler == &OnSignal;
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

}  // namespace

void BeginTerminationWatch() {
  const std::lock_guard lock(watch_mutex);
  if (watchers++ > 0) return;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    if (sigaction(kSignals[i], nullptr, &action) != 0) continue;
    if (!EndsTheProcess(action)) continue;
    previous[i] = action;
    action = {};
    action.sa_handler = &OnSignal;
    action.sa_flags = SA_RESTART;
    caught[i] = sigaction(kSignals[i], &action, nullptr) == 0;
  }
}

void EndTerminationWatch() {
  const std::lock_guard lock(watch_mutex);
  if (--watchers > 0) return;
  for (size_t i = 0; i < kSignals.size(); ++i) Restore(i);
  // A signal that came in the meantime has waited long enough.
  const int signal = pending_signal.exchange(0, std::memory_order_acq_rel);
  if (signal != 0) kill(getpid(), signal);
}

bool TerminationPending() {
  return pending_signal.load(std::memory_order_acquire) != 0;
}

void TerminationFinished() {
  const std::lock_guard lock(watch_mutex);
  if (flushed.fetch_add(1, std::memory_order_acq_rel) + 1 < watchers) return;
  for (size_t i = 0; i < kSignals.size(); ++i) Restore(i);
  kill(getpid(), pending_signal.load(std::memory_order_acquire));
  // Node's own handler may take the signal on another thread; this one has
  // nothing more to do.
  while (true) pause();
}

}  // namespace edgewise
