#pragma once

namespace edgewise {

// Calls `callback(argument)` when process.exit() or an uncaught exception ends
// the process: on its main thread, after the last 'exit' listener of the
// application's, which is how this differs from one. An environment that ends
// by itself is a cleanup hook's to see; it may have run before. For the calling
// thread's environment, in JavaScript.
void AtProcessExit(void (*callback)(void*), void* argument);

}  // namespace edgewise
