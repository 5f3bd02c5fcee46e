#pragma once

#include <sched.h>

#include <cstdint>
#include <functional>
#include <thread>

namespace edgewise {

// Starts a helper thread named `name` (at most 15 bytes) that takes no signal:
// the application's handlers keep running where they always did.
std::thread StartHelperThread(const char* name, std::function<void()> body);

// Lets this thread sleep with 1 ns of timer slack instead of 50 µs.
void UsePreciseSleep();

// Has this thread run before all others that are not real-time threads; where
// this user may not, it competes as before.
void UseRealTimePriority();

// As long as a signal does not end it.
void SleepNs(int64_t ns);

// Keeps this thread away from a processor, if there is another; -1: none.
void LeaveCpu(int cpu);

// Keeps one thread away from where another one runs.
class Evasion {
 public:
  // The thread's own. If it runs on `cpu`, it leaves for those that its
  // affinity names besides; where there is none, it stays.
  void Leave(int cpu);

 private:
  cpu_set_t allowed_{};  // as others have set it
  cpu_set_t own_{};      // what this has made of it
};

// Processor time that this thread has used, ns.
int64_t ThreadCpuNs();

}  // namespace edgewise
