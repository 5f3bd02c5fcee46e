#include "recorder/off_cpu/summed_pauses.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

// A look takes some 1.5 µs: 1 % of this.
constexpr double kLookNs = 200'000;
// A switch between two reads of the same is rare, two are rarer.
constexpr int kMostReads = 3;
// The clocks are read one after the other: so much may lie between them.
constexpr int64_t kNoiseNs = 5'000;

}  // namespace

absl::StatusOr<std::unique_ptr<SummedPauses>> SummedPauses::Start() {
  std::unique_ptr<SummedPauses> pauses(new SummedPauses());
  if (pauses->before_.delay_ns < 0) {
    return absl::UnavailableError(
        "/proc/thread-self/schedstat does not say for how long a thread waits "
        "for a processor");
  }
  return pauses;
}

SummedPauses::SummedPauses()
    : look_ticks_(NsToTicks(kLookNs)),
      before_(Now()),
      looked_ticks_(Ticks()),
      sleeps_(before_.sleeps) {}

SummedPauses::Sums SummedPauses::ReadAtOnce() const {
  const int64_t delay_ns = run_delay_.Ns();
  const int64_t cpu_ns = ThreadCpuNs();
  const int64_t now_ns = MonotonicNs();
  const rusage usage = ThreadUsage();
  return {now_ns,
          cpu_ns,
          delay_ns,
          usage.ru_nvcsw,
          usage.ru_nvcsw + usage.ru_nivcsw,
          usage.ru_majflt,
          sched_getcpu()};
}

// Without a switch between the first sum and the last. Whoever is traced is
// switched at each call: hence the limit.
SummedPauses::Sums SummedPauses::Now() const {
  Sums now = ReadAtOnce();
  for (int reads = 1; reads < kMostReads; ++reads) {
    const Sums again = ReadAtOnce();
    if (std::exchange(now, again).switches == again.switches) break;
  }
  return now;
}

bool SummedPauses::LeaveOut(uint64_t ticks) {
  left_out_ticks_ += ticks;
  // What there was to wait for may have been there: then it did not sleep.
  const int64_t sleeps = ThreadUsage().ru_nvcsw;
  const bool slept = sleeps > std::exchange(sleeps_, sleeps);
  if (slept) ++left_out_;
  left_out_until_ns_ = MonotonicNs();
  return slept;
}

SummedPauses::Difference SummedPauses::Next() {
  const Sums before = std::exchange(before_, Now());
  sleeps_ = before_.sleeps;
  looked_ticks_ = Ticks();
  const int64_t left_out_ns = TickNs(std::exchange(left_out_ticks_, 0));
  const int64_t sleeps =
      before_.sleeps - before.sleeps - std::exchange(left_out_, 0);
  const int64_t off_ns =
      std::max<int64_t>(0, (before_.now_ns - before.now_ns - left_out_ns) -
                               (before_.cpu_ns - before.cpu_ns));
  const bool known = before_.delay_ns >= 0 && before.delay_ns >= 0;
  const int64_t delay_ns = known ? before_.delay_ns - before.delay_ns : 0;
  return {off_ns, std::clamp<int64_t>(delay_ns, 0, off_ns), sleeps > 0,
          before_.major_faults - before.major_faults >= sleeps};
}

void SummedPauses::Read(int64_t begin_ns, int64_t end_ns,
                        std::vector<Pause>* pauses) {
  const int64_t from_ns =
      std::max({before_.now_ns, left_out_until_ns_, begin_ns});
  auto [off_ns, waited_ns, slept, fault] = Next();
  // Who did not sleep could have run, though the scheduler does not count all
  // of what a quota has stopped, and nothing of what a hypervisor takes.
  if (!slept) waited_ns = off_ns;
  // Whom another has displaced since the event's end, it was not in it.
  const int64_t after_ns =
      std::clamp<int64_t>(before_.now_ns - end_ns, 0, waited_ns);
  if (after_ns < kNoiseNs) end_ns = before_.now_ns;
  if (after_ns >= kNoiseNs) {
    off_ns -= after_ns;
    waited_ns -= after_ns;
  }
  if (off_ns >= kNoiseNs) {
    const int64_t spare_ns =
        std::max<int64_t>(0, end_ns - off_ns - from_ns) / 2;
    const int64_t in_ns = end_ns - spare_ns;
    pauses->push_back({in_ns - off_ns, in_ns, !slept, fault, waited_ns});
  }
  if (after_ns >= kNoiseNs) {
    pauses->push_back({end_ns, end_ns + after_ns, true, false});
  }
}

bool SummedPauses::ReadWait(std::vector<Pause>* pauses) {
  const int cpu = before_.cpu;
  auto [off_ns, waited_ns, slept, fault] = Next();
  // Of a thread that moved in its sleep Linux 6.18 counts that, too.
  if (before_.cpu != cpu) waited_ns = 0;
  if (!slept) waited_ns = off_ns;
  if (off_ns >= kNoiseNs) {
    const int64_t now_ns = before_.now_ns;
    pauses->push_back({now_ns - off_ns, now_ns, !slept, fault, waited_ns});
  }
  return slept;
}

}  // namespace edgewise
