#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "poke/paused_processes.h"

namespace edgewise {

// When processes that are paused are to go on, of MonotonicNs(); 0: they run.
// Shared by two processes. Written by the one that pauses, read by its
// watchdog; relaxed: nothing else depends on it.
using PauseEnd = std::atomic<int64_t>;

// Runs `pause` in a process of its own, and watches it from this one: however
// that ends, or if a pause is overdue by `grace_ns`, the processes go on. If
// this process gets SIGTERM, it ends `pause` by force; if it is killed, `pause`
// gets SIGTERM. Returns the exit code.
int RunWatched(const PausedProcesses& processes, int64_t grace_ns,
               const std::function<int(PauseEnd*)>& pause);

}  // namespace edgewise
