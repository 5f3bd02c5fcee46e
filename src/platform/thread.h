#pragma once

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

// Keeps this thread away from a processor, if there is another; -1: none.
void LeaveCpu(int cpu);

// Processor time that this thread has used, ns.
int64_t ThreadCpuNs();

}  // namespace edgewise
