#pragma once

#include <functional>
#include <thread>

namespace edgewise {

// Starts a helper thread named `name` (at most 15 bytes) that takes no signal:
// the application's handlers keep running where they always did.
std::thread StartHelperThread(const char* name, std::function<void()> body);

// Lets this thread sleep with 1 ns of timer slack instead of 50 µs.
void UsePreciseSleep();

}  // namespace edgewise
