#pragma once

#include <cstdint>

// Statically defined probes of the provider `edgewise`, as perf, bpftrace and
// SystemTap find them: a no-operation, and a note in the file that tells where
// it is, where its arguments are, and which counter says that somebody listens.
// docs/usdt.md lists the probes that there are.
//
//   if (EDGEWISE_PROBED(event__end)) [[unlikely]]
//     EDGEWISE_PROBE(event__end, sequence, name, duration);
//
// An unheard probe costs a load and a branch. Arguments are integers of 64 bits
// or pointers to strings that end with 0; at most five.

#define EDGEWISE_PROBES(X) \
  X(request__start)        \
  X(request__done)         \
  X(event__begin)          \
  X(event__end)            \
  X(gc__begin)             \
  X(gc__end)               \
  X(boost__up)             \
  X(boost__down)           \
  X(stall)

// The kernel counts the listeners here. Together, for one line of the cache.
extern "C" {
#define EDGEWISE_DECLARE_PROBE(name) \
  [[gnu::visibility(                 \
      "hidden")]] extern volatile uint16_t edgewise_##name##_semaphore;
EDGEWISE_PROBES(EDGEWISE_DECLARE_PROBE)
#undef EDGEWISE_DECLARE_PROBE
}

namespace edgewise::internal_probe {

inline int64_t Argument(const char* text) {
  return reinterpret_cast<intptr_t>(text);
}
inline int64_t Argument(int64_t value) { return value; }

}  // namespace edgewise::internal_probe

#define EDGEWISE_PROBED(name) (edgewise_##name##_semaphore != 0)

// Five bytes: the kernel can replace them by a call, which takes half the time
// of a trap. The layout of the note is SystemTap's (sys/sdt.h, version 3).
#if defined(__x86_64__)
#define EDGEWISE_PROBE_NOP ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#else
#define EDGEWISE_PROBE_NOP "nop\n"
#endif

#define EDGEWISE_PROBE_NOTE(name, arguments)                              \
  "990: " EDGEWISE_PROBE_NOP                                              \
  ".pushsection .note.stapsdt,\"?\",\"note\"\n"                           \
  ".balign 4\n"                                                           \
  ".4byte 992f-991f, 994f-993f, 3\n"                                      \
  "991: .asciz \"stapsdt\"\n"                                             \
  "992: .balign 4\n"                                                      \
  "993: .8byte 990b\n"                                                    \
  ".8byte _.stapsdt.base\n"                                               \
  ".8byte edgewise_" #name                                                \
  "_semaphore\n"                                                          \
  ".asciz \"edgewise\"\n"                                                 \
  ".asciz \"" #name                                                       \
  "\"\n"                                                                  \
  ".asciz \"" arguments                                                   \
  "\"\n"                                                                  \
  "994: .balign 4\n"                                                      \
  ".popsection\n"                                                         \
  ".ifndef _.stapsdt.base\n"                                              \
  ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
  ".weak _.stapsdt.base\n"                                                \
  ".hidden _.stapsdt.base\n"                                              \
  "_.stapsdt.base: .space 1\n"                                            \
  ".size _.stapsdt.base, 1\n"                                             \
  ".popsection\n"                                                         \
  ".endif\n"

#define EDGEWISE_PROBE_1(name, a)   \
  asm volatile(EDGEWISE_PROBE_NOTE( \
      name, "-8@%[a0]")::[a0] "r"(edgewise::internal_probe::Argument(a)))
#define EDGEWISE_PROBE_2(name, a, b)                                     \
  asm volatile(EDGEWISE_PROBE_NOTE(name, "-8@%[a0] -8@%[a1]")::[a0] "r"( \
                   edgewise::internal_probe::Argument(a)),               \
               [a1] "r"(edgewise::internal_probe::Argument(b)))
#define EDGEWISE_PROBE_3(name, a, b, c)                                  \
  asm volatile(                                                          \
      EDGEWISE_PROBE_NOTE(name, "-8@%[a0] -8@%[a1] -8@%[a2]")::[a0] "r"( \
          edgewise::internal_probe::Argument(a)),                        \
      [a1] "r"(edgewise::internal_probe::Argument(b)),                   \
      [a2] "r"(edgewise::internal_probe::Argument(c)))
#define EDGEWISE_PROBE_4(name, a, b, c, d)                               \
  asm volatile(                                                          \
      EDGEWISE_PROBE_NOTE(name, "-8@%[a0] -8@%[a1] -8@%[a2] -8@%[a3]"):: \
          [a0] "r"(edgewise::internal_probe::Argument(a)),               \
      [a1] "r"(edgewise::internal_probe::Argument(b)),                   \
      [a2] "r"(edgewise::internal_probe::Argument(c)),                   \
      [a3] "r"(edgewise::internal_probe::Argument(d)))
#define EDGEWISE_PROBE_5(name, a, b, c, d, e)                              \
  asm volatile(EDGEWISE_PROBE_NOTE(                                        \
                   name, "-8@%[a0] -8@%[a1] -8@%[a2] -8@%[a3] -8@%[a4]"):: \
                   [a0] "r"(edgewise::internal_probe::Argument(a)),        \
               [a1] "r"(edgewise::internal_probe::Argument(b)),            \
               [a2] "r"(edgewise::internal_probe::Argument(c)),            \
               [a3] "r"(edgewise::internal_probe::Argument(d)),            \
               [a4] "r"(edgewise::internal_probe::Argument(e)))

#define EDGEWISE_PROBE_OF(a, b, c, d, e, chosen, ...) chosen
#define EDGEWISE_PROBE(name, ...)                                           \
  do {                                                                      \
    EDGEWISE_PROBE_OF(__VA_ARGS__, EDGEWISE_PROBE_5, EDGEWISE_PROBE_4,      \
                      EDGEWISE_PROBE_3, EDGEWISE_PROBE_2, EDGEWISE_PROBE_1) \
    (name, __VA_ARGS__);                                                    \
  } while (false)
