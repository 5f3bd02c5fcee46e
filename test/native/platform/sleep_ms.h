#pragma once

#include <time.h>

namespace edgewise {

inline void SleepMs(int ms) {
  const timespec pause{ms / 1000, (ms % 1000) * 1'000'000};
  nanosleep(&pause, nullptr);
}

}  // namespace edgewise
