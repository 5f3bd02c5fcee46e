#include "recorder/off_cpu/switch_pauses.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "absl/status/status.h"
#include "platform/sandbox.h"

namespace edgewise {
namespace {

// Of each page's ring: a thousand pauses in one event.
constexpr size_t kRingBytes = 32 << 10;
// A pause between two reads of the same is rare, two are rarer.
constexpr int kMostRingReads = 3;
// Between the pauses of one page fault the kernel does not take longer.
constexpr int64_t kSameFaultNs = 50'000;

// A major fault is told when it is over: what the thread slept for just before
// was the page.
void NoteFault(int64_t until_ns, std::vector<Pause>* pauses) {
  for (auto pause = pauses->rbegin();
       pause != pauses->rend() && until_ns - pause->in_ns < kSameFaultNs;
       ++pause) {
    pause->fault = !pause->preempted;
    until_ns = pause->out_ns;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<SwitchPauses>> SwitchPauses::Start() {
  // No ring: what the kernel says of it is not asked.
  if (!OutlivesCall(
          [] { syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); })) {
    return absl::PermissionDeniedError(
        "a sandbox ends who calls perf_event_open");
  }
  // One event, of which each switch is told, too: the kernel looks after each
  // of a thread's events at each switch.
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
  attr.sample_period = 1;
  attr.context_switch = 1;
  auto ring = PerfRing::Open(attr, kRingBytes);
  if (!ring.ok()) return ring.status();
  return std::unique_ptr<SwitchPauses>(new SwitchPauses(*std::move(ring)));
}

SwitchPauses::SwitchPauses(std::unique_ptr<PerfRing> ring)
    : ring_(std::move(ring)), delay_ns_(run_delay_.Ns()) {}

void SwitchPauses::Read(int64_t delay_age_ns, std::vector<Pause>* pauses) {
  // The scheduler's sum is the pauses' own only if there is none after them.
  // Whoever is traced pauses at each call: hence the limit.
  int64_t delay_ns = 0;
  for (int reads = 0; reads < kMostRingReads && ring_->moved(); ++reads) {
    ReadRing(pauses);
    if (pauses->empty()) break;
    const int64_t last_ns = pauses->back().in_ns;
    if (last_ns - delay_read_ns_ < delay_age_ns) break;
    delay_ns = run_delay_.Ns();
    delay_read_ns_ = last_ns;
  }
  ShareRunDelay(delay_ns, pauses);
}

void SwitchPauses::ReadRing(std::vector<Pause>* pauses) {
  PerfRing::Entry out{};
  ring_->Drain([&](const PerfRing::Entry& entry) {
    if (entry.type == PERF_RECORD_SAMPLE) return NoteFault(entry.ns, pauses);
    const bool leaves = (entry.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    if (entry.type == PERF_RECORD_SWITCH && !leaves && out.ns != 0) {
      const bool preempted =
          (out.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      pauses->push_back({out.ns, entry.ns, preempted, false});
      if (!preempted && out.cpu != entry.cpu) delay_known_ = false;
    }
    out =
        entry.type == PERF_RECORD_SWITCH && leaves ? entry : PerfRing::Entry{};
  });
}

// What the scheduler says beyond the pauses in which it took the processor
// away is how long the thread waited for one after it had been woken. Of a
// thread that it moved to another processor in its sleep, Linux 6.18 counts the
// rest of the sleep, too (the dequeuing of who sleeps is delayed).
void SwitchPauses::ShareRunDelay(int64_t delay_ns, std::vector<Pause>* pauses) {
  int64_t slept_ns = 0;
  for (const Pause& pause : *pauses) {
    const int64_t length_ns = pause.in_ns - pause.out_ns;
    (pause.preempted ? delay_ns_ : slept_ns) += length_ns;
  }
  if (delay_ns <= 0) return;
  delay_ns -= std::exchange(delay_ns_, delay_ns);
  if (!std::exchange(delay_known_, true)) return;
  int64_t left_ns = std::clamp<int64_t>(delay_ns, 0, slept_ns);
  for (Pause& pause : *pauses) {
    const int64_t length_ns = pause.in_ns - pause.out_ns;
    if (pause.preempted || length_ns == 0) continue;
    pause.waited_ns = static_cast<int64_t>(static_cast<double>(left_ns) *
                                           static_cast<double>(length_ns) /
                                           static_cast<double>(slept_ns));
    left_ns -= pause.waited_ns;
    slept_ns -= length_ns;
  }
}

}  // namespace edgewise
