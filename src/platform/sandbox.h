#pragma once

namespace edgewise {

// Whether this process outlives a system call that sandboxes are known to
// forbid: a filter (seccomp) may not refuse it, but end who makes it. Where
// there is a filter, a child that shares it makes the call first. `call` runs
// there, on this process's memory: it may only make system calls.
bool OutlivesCall(void (*call)());

}  // namespace edgewise
