#include "recorder/ring.h"

#include <sys/mman.h>
#include <unistd.h>

namespace edgewise {

bool Ring::Populate() {
#ifdef MADV_POPULATE_WRITE
  // Whole pages only: the others are shared with what lies beside the slots,
  // and mostly have their memory.
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(slots_.get());
  const uintptr_t first = (begin + page - 1) & ~(page - 1);
  const uintptr_t last = (begin + capacity() * sizeof(Record)) & ~(page - 1);
  return first < last && madvise(reinterpret_cast<void*>(first), last - first,
                                 MADV_POPULATE_WRITE) == 0;
#else
  return false;
#endif
}

}  // namespace edgewise
