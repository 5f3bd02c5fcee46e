#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/statusor.h"

namespace edgewise {

// A thread that takes no signal: the application's handlers keep running where
// they always did. Where there is no thread to be had, std::thread would end
// the application.
class HelperThread {
 public:
  // Starts one named `name` (at most 15 bytes). Unavailable: the system has no
  // more.
  static absl::StatusOr<HelperThread> Start(const char* name,
                                            std::function<void()> body);

  HelperThread() = default;  // none
  HelperThread(HelperThread&& other) noexcept { *this = std::move(other); }
  HelperThread& operator=(HelperThread&& other) noexcept;
  // Joined, moved from or none.
  ~HelperThread();

  bool joinable() const { return joinable_; }
  void join();
  pthread_t native_handle() const { return thread_; }

 private:
  pthread_t thread_{};
  bool joinable_ = false;
};

// Of this thread, as the kernel numbers it. C libraries have gettid() only for
// a few years.
pid_t ThreadId();

// Lets this thread sleep with 1 ns of timer slack instead of 50 µs.
void UsePreciseSleep();

// Has this thread run before all others that are not real-time threads; where
// this user may not, it competes as before.
void UseRealTimePriority();

// Has this thread, which runs for moments only, run when it wakes and not when
// the one that has the processor is done with its turn: by the length of its
// own (Linux 6.12). Elsewhere it competes as before.
void UseShortTurns();

// Has this thread run where no other one wants to: nice 19.
void UseSpareTime();

// Whether this thread may run on one processor only.
bool HasOneCpu();

// As long as a signal does not end it.
void SleepNs(int64_t ns);

// Keeps this thread away from a processor, if its affinity names another; -1:
// none.
void LeaveCpu(int cpu);

// Keeps one thread away from where another one runs.
class Evasion {
 public:
  // The other one's: it runs on `cpu`. A hint: relaxed.
  void Avoid(int cpu) { cpu_.store(cpu, std::memory_order_relaxed); }

  // The thread's own. If it runs there, it leaves for those processors that its
  // affinity names besides; false where there is none: it stays.
  bool Leave();

 private:
  cpu_set_t allowed_{};  // as others have set it
  cpu_set_t own_{};      // what this has made of it
  // Far from what stands before this, which mostly is the thread's.
  std::atomic<int> cpu_{-1};
};

// Processor time that this thread has used, ns.
int64_t ThreadCpuNs();

// The same of another thread, while that lives.
class CpuClock {
 public:
  explicit CpuClock(pthread_t thread);
  int64_t Ns() const;

 private:
  clockid_t clock_;
};

// What the kernel counts for this thread: its switches and page faults.
rusage ThreadUsage();

}  // namespace edgewise
