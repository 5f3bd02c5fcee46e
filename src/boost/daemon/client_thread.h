#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace edgewise {

// The thread of process `pid` that calls itself `tid` in its own pid namespace
// (a container's), by its number here; nullopt: it has none, or in a namespace
// that is not ours none among its first 256.
std::optional<pid_t> ThreadOf(pid_t pid, pid_t tid);

// The CPUs that thread `tid` may run on; empty: it is gone.
std::vector<int> AffinityOf(pid_t tid);

}  // namespace edgewise
