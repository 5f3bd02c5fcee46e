#include "platform/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "platform/clock.h"
#include "platform/sandbox.h"

namespace edgewise {

namespace {

constexpr uint64_t kShortTurnNs = 100'000;

// A fair thread's turn; the C library has no name for it.
void SetTurnNs(uint64_t ns) {
  struct {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
  } attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0 ||
      attributes.policy != SCHED_OTHER) {
    return;
  }
  attributes.size = sizeof(attributes);
  attributes.flags = 0;
  attributes.runtime = ns;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

int64_t NsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void* RunBody(void* body) {
  const std::unique_ptr<std::function<void()>> owned(
      static_cast<std::function<void()>*>(body));
  (*owned)();
  return nullptr;
}

// Leaves this thread the processors of `allowed` but `cpu`: true, and which in
// `used`; false if there is none.
bool UseOthers(const cpu_set_t& allowed, int cpu, cpu_set_t* used) {
  cpu_set_t others = allowed;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0) return false;
  if (sched_setaffinity(0, sizeof(others), &others) != 0) return false;
  *used = others;
  return true;
}

}  // namespace

absl::StatusOr<HelperThread> HelperThread::Start(const char* name,
                                                 std::function<void()> body) {
  auto owned = std::make_unique<std::function<void()>>(std::move(body));
  // The new thread inherits the mask: no signal can arrive in between.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  HelperThread thread;
  const int error =
      pthread_create(&thread.thread_, nullptr, &RunBody, owned.get());
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  if (error != 0) {
    return absl::ErrnoToStatus(error,
                               absl::StrCat("cannot start the thread ", name));
  }
  static_cast<void>(owned.release());  // the thread's
  thread.joinable_ = true;
  pthread_setname_np(thread.thread_, name);
  return thread;
}

HelperThread& HelperThread::operator=(HelperThread&& other) noexcept {
  assert(!joinable_);
  thread_ = other.thread_;
  joinable_ = std::exchange(other.joinable_, false);
  return *this;
}

HelperThread::~HelperThread() { assert(!joinable_); }

void HelperThread::join() {
  pthread_join(thread_, nullptr);
  joinable_ = false;
}

pid_t ThreadId() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void UsePreciseSleep() { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

void UseRealTimePriority() {
  sched_param priority{};
  priority.sched_priority = 1;
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
}

void UseShortTurns() {
  if (!OutlivesCall([] { SetTurnNs(kShortTurnNs); })) return;
  SetTurnNs(kShortTurnNs);
}

void UseSpareTime() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(ThreadId()), 19);
}

void SleepNs(int64_t ns) {
  const timespec time = TimespecOf(ns);
  const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  if (error == 0 || error == EINTR) return;
  // A sandbox refuses it. What no thread can do without takes a time as well.
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_t never;
  pthread_cond_init(&never, &clock);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const timespec until = TimespecOf(MonotonicNs() + ns);
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&never, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&never);
  pthread_condattr_destroy(&clock);
}

void LeaveCpu(int cpu) {
  cpu_set_t allowed;
  if (cpu < 0 || sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  UseOthers(allowed, cpu, &allowed);
}

bool Evasion::Leave() {
  const int cpu = cpu_.load(std::memory_order_relaxed);
  if (cpu < 0 || sched_getcpu() != cpu) return true;
  cpu_set_t current;
  if (sched_getaffinity(0, sizeof(current), &current) != 0) return false;
  if (!CPU_EQUAL(&current, &own_)) allowed_ = current;
  return UseOthers(allowed_, cpu, &own_);
}

int64_t ThreadCpuNs() { return NsOf(CLOCK_THREAD_CPUTIME_ID); }

CpuClock::CpuClock(pthread_t thread) {
  const int error = pthread_getcpuclockid(thread, &clock_);
  assert(error == 0 && "the thread lives");
  (void)error;
}

int64_t CpuClock::Ns() const { return NsOf(clock_); }

bool HasOneCpu() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 &&
         CPU_COUNT(&allowed) == 1;
}

rusage ThreadUsage() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

}  // namespace edgewise
