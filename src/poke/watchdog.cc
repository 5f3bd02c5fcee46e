#include "poke/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr int64_t kLookNs = 20'000'000;
constexpr int kFailure = 1;

// The pausing process itself takes these, and lets its service go on.
constexpr int kEnding[] = {SIGINT, SIGHUP, SIGQUIT};

// Set by SIGTERM: who pauses does not end by itself.
volatile sig_atomic_t told_to_end = 0;

int ExitCode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailure;
}

bool IsOverdue(const PauseEnd& end, int64_t grace_ns) {
  const int64_t due_ns = end.load(std::memory_order_relaxed);
  return due_ns != 0 && MonotonicNs() > due_ns + grace_ns;
}

int Watch(pid_t child, const PausedProcesses& processes, int64_t grace_ns,
          const PauseEnd& end) {
  for (const int number : kEnding) signal(number, SIG_IGN);
  signal(SIGTERM, [](int) { told_to_end = 1; });
  int status = 0;
  bool overdue = false;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) != child) {
    if (ended < 0 && errno != EINTR) break;
    overdue = IsOverdue(end, grace_ns);
    if (overdue || told_to_end != 0) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    SleepNs(kLookNs);
  }
  processes.Continue();
  if (!overdue) return ExitCode(status);
  std::fputs("edgewise-poker: a pause was overdue: its service goes on\n",
             stderr);
  return kFailure;
}

}  // namespace

int RunWatched(const PausedProcesses& processes, int64_t grace_ns,
               const std::function<int(PauseEnd*)>& pause) {
  void* shared = mmap(nullptr, sizeof(PauseEnd), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return kFailure;
  auto* end = new (shared) PauseEnd(0);
  const pid_t watchdog = getpid();
  const pid_t child = fork();
  if (child < 0) return kFailure;
  if (child > 0) return Watch(child, processes, grace_ns, *end);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int code = getppid() == watchdog ? pause(end) : kFailure;
  processes.Continue();
  std::fflush(stdout);
  _exit(code);
}

}  // namespace edgewise
