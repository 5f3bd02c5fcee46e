#pragma once

#include <cstddef>

namespace edgewise {

// Copies `bytes` of this process's own memory, where nobody knows whether there
// is any at `from`: through the kernel, which says so instead of a fault.
// False: there is none, or the kernel's policy allows none of the ways:
// process_vm_readv(2), /proc/self/mem, a pipe that is written to from there.
// The first that works is taken from then on.
bool ReadOwnMemory(const void* from, void* to, size_t bytes);

// The way that is taken, for who asks what is missing; null: none works.
const char* OwnMemoryWay();

}  // namespace edgewise
