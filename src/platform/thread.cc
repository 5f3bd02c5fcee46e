#include "platform/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "platform/clock.h"

namespace edgewise {

std::thread StartHelperThread(const char* name, std::function<void()> body) {
  // The new thread inherits the mask: no signal can arrive in between.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread(std::move(body));
  pthread_setname_np(thread.native_handle(), name);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

void UsePreciseSleep() { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

void UseRealTimePriority() {
  sched_param priority{};
  priority.sched_priority = 1;
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
}

void SleepNs(int64_t ns) {
  const timespec time = TimespecOf(ns);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

void LeaveCpu(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  const int64_t count = sysconf(_SC_NPROCESSORS_CONF);
  for (int i = 0; i < count && i < CPU_SETSIZE; ++i) {
    if (i != cpu) CPU_SET(i, &set);
  }
  sched_setaffinity(0, sizeof(set), &set);
}

void Evasion::Leave(int cpu) {
  if (cpu < 0 || sched_getcpu() != cpu) return;
  cpu_set_t current;
  if (sched_getaffinity(0, sizeof(current), &current) != 0) return;
  if (!CPU_EQUAL(&current, &own_)) allowed_ = current;
  cpu_set_t others = allowed_;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0) return;
  if (sched_setaffinity(0, sizeof(others), &others) == 0) own_ = others;
}

int64_t ThreadCpuNs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace edgewise
