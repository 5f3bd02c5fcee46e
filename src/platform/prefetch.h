#pragma once

namespace edgewise {

// Has the processor fetch the cache line of `address`, which will be written.
// Of a builtin, compilers make a fetch for reading, since the first x86-64 had
// no other; those ignore the one that is asked for here.
inline void PrefetchToWrite(const void* address) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace edgewise
