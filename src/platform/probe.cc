#include "platform/probe.h"

#define EDGEWISE_DEFINE_PROBE(name)     \
  [[gnu::section(".probes"), gnu::used, \
    gnu::visibility(                    \
        "hidden")]] volatile uint16_t edgewise_##name##_semaphore = 0;

extern "C" {
EDGEWISE_PROBES(EDGEWISE_DEFINE_PROBE)
}
