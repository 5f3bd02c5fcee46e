// probe_cost SECONDS: what a probe costs, once a second, and whether somebody
// listens to it (edgewise:event__begin of this program).

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "platform/clock.h"
#include "platform/probe.h"

namespace edgewise {
namespace {

constexpr int64_t kRoundNs = 1'000'000;

[[gnu::noinline]] void Nothing(int64_t value) { asm volatile("" ::"r"(value)); }

[[gnu::noinline]] void Probed(int64_t value) {
  if (EDGEWISE_PROBED(event__begin)) [[unlikely]]
    EDGEWISE_PROBE(event__begin, value, "timer", value);
  asm volatile("" ::"r"(value));
}

// The least of many rounds: ns a call.
double CostOf(void (*call)(int64_t)) {
  double least = 1e9;
  const int64_t until_ns = MonotonicNs() + 250 * kRoundNs;
  while (MonotonicNs() < until_ns) {
    int64_t calls = 0;
    const int64_t begin_ns = MonotonicNs();
    int64_t now_ns = begin_ns;
    for (; now_ns - begin_ns < kRoundNs; now_ns = MonotonicNs()) {
      for (int i = 0; i < 1000; ++i) call(calls++);
    }
    const double ns =
        static_cast<double>(now_ns - begin_ns) / static_cast<double>(calls);
    if (ns < least) least = ns;
  }
  return least;
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) {
  const int seconds = argc == 2 ? atoi(argv[1]) : 0;
  if (seconds < 1) {
    fprintf(stderr, "probe_cost SECONDS\n");
    return 2;
  }
  for (int i = 0; i < seconds; ++i) {
    const double nothing = edgewise::CostOf(&edgewise::Nothing);
    const double probed = edgewise::CostOf(&edgewise::Probed);
    printf("%s: %.2f ns\n", EDGEWISE_PROBED(event__begin) ? "heard" : "unheard",
           probed - nothing);
    fflush(stdout);
  }
  return 0;
}
