#include "recorder/off_cpu.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "platform/clock.h"
#include "platform/sandbox.h"

namespace edgewise {
namespace {

// Of each page's ring: a thousand pauses in one event.
constexpr size_t kRingBytes = 32 << 10;
// A pause between two reads of the same is rare, two are rarer.
constexpr int kMostReads = 3;
// A loop that sleeps between all requests does not ask after each: so late it
// may be told of the sleep after the one at whose end it was.
constexpr int64_t kDelayAgeNs = 200'000;
// A wake-up takes some µs; what took longer was waiting for a processor.
constexpr int64_t kWakeUpNs = 50'000;
// The kernel stops a group for longer than this.
constexpr int64_t kLeastThrottleNs = 1'000'000;
// What other threads of the group were stopped for so long ago is not ours.
constexpr int64_t kQuotaAgeNs = 50'000'000;
// Between the pauses of one page fault the kernel does not take longer.
constexpr int64_t kSameFaultNs = 50'000;

}  // namespace

absl::StatusOr<std::unique_ptr<OffCpu>> OffCpu::Start() {
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
  return std::unique_ptr<OffCpu>(new OffCpu(*std::move(ring)));
}

OffCpu::OffCpu(std::unique_ptr<PerfRing> ring)
    : ring_(std::move(ring)),
      quota_(CpuQuota::Find()),
      delay_ns_(run_delay_.Ns()),
      quota_began_(quota_.Read()),
      throttled_(quota_began_),
      quota_read_ns_(MonotonicNs()) {}

void OffCpu::ReadPauses(int64_t delay_age_ns) {
  pauses_.clear();
  stretches_.clear();
  // The scheduler's sum is the pauses' own only if there is none after them.
  // Whoever is traced pauses at each call: hence the limit.
  int64_t delay_ns = 0;
  for (int reads = 0; reads < kMostReads && ring_->moved(); ++reads) {
    ReadRing();
    if (pauses_.empty()) break;
    const int64_t last_ns = pauses_.back().in_ns;
    if (last_ns - delay_read_ns_ < delay_age_ns) break;
    delay_ns = run_delay_.Ns();
    delay_read_ns_ = last_ns;
  }
  now_ns_ = MonotonicNs();
  now_ticks_ = Ticks();
  ShareRunDelay(delay_ns);
  ShareThrottled();
}

void OffCpu::ReadRing() {
  PerfRing::Entry out{};
  ring_->Drain([&](const PerfRing::Entry& entry) {
    if (entry.type == PERF_RECORD_SAMPLE) return NoteFault(entry.ns);
    const bool leaves = (entry.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    if (entry.type == PERF_RECORD_SWITCH && !leaves && out.ns != 0) {
      const bool preempted =
          (out.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      pauses_.push_back({out.ns, entry.ns, preempted, false, 0, 0});
      if (!preempted && out.cpu != entry.cpu) delay_known_ = false;
    }
    out =
        entry.type == PERF_RECORD_SWITCH && leaves ? entry : PerfRing::Entry{};
  });
}

// A major fault is told when it is over: what the thread slept for just before
// was the page.
void OffCpu::NoteFault(int64_t until_ns) {
  for (auto pause = pauses_.rbegin();
       pause != pauses_.rend() && until_ns - pause->in_ns < kSameFaultNs;
       ++pause) {
    pause->fault = !pause->preempted;
    until_ns = pause->out_ns;
  }
}

// What the scheduler says beyond the pauses in which it took the processor
// away is how long the thread waited for one after it had been woken. Of a
// thread that it moved to another processor in its sleep, Linux 6.18 counts the
// rest of the sleep, too (the dequeuing of who sleeps is delayed).
void OffCpu::ShareRunDelay(int64_t delay_ns) {
  int64_t slept_ns = 0;
  for (const Pause& pause : pauses_) {
    const int64_t length_ns = pause.in_ns - pause.out_ns;
    (pause.preempted ? delay_ns_ : slept_ns) += length_ns;
  }
  if (delay_ns <= 0) return;
  delay_ns -= std::exchange(delay_ns_, delay_ns);
  if (!std::exchange(delay_known_, true)) return;
  int64_t left_ns = std::clamp<int64_t>(delay_ns, 0, slept_ns);
  for (Pause& pause : pauses_) {
    const int64_t length_ns = pause.in_ns - pause.out_ns;
    if (pause.preempted || length_ns == 0) continue;
    pause.waited_ns = static_cast<int64_t>(static_cast<double>(left_ns) *
                                           static_cast<double>(length_ns) /
                                           static_cast<double>(slept_ns));
    left_ns -= pause.waited_ns;
    slept_ns -= length_ns;
  }
}

void OffCpu::Add(int64_t begin_ns, int64_t end_ns, OffCpuKind kind) {
  if (begin_ns >= end_ns) return;
  stretches_.push_back({TicksAt(begin_ns), TicksAt(end_ns), kind});
}

// What the group was stopped for since the last look is in the longest times
// for which the thread could have run and did not.
void OffCpu::ShareThrottled() {
  if (!quota_.any()) return;
  std::vector<Pause*> unserved;
  for (Pause& pause : pauses_) {
    if (pause.unserved_ns() >= kLeastThrottleNs) unserved.push_back(&pause);
  }
  if (unserved.empty()) return;
  std::sort(unserved.begin(), unserved.end(),
            [](const Pause* a, const Pause* b) {
              return a->unserved_ns() > b->unserved_ns();
            });
  int64_t left_ns = ThrottledSince();
  for (Pause* const pause : unserved) {
    pause->throttled_ns = std::min(left_ns, pause->unserved_ns());
    left_ns -= pause->throttled_ns;
  }
}

// It could have run: another had the processor, or its group had used up what
// it may.
void OffCpu::AddUnserved(const Pause& pause) {
  const int64_t from_ns = pause.in_ns - pause.unserved_ns();
  Add(from_ns, from_ns + pause.throttled_ns, OffCpuKind::kThrottled);
  Add(from_ns + pause.throttled_ns, pause.in_ns, OffCpuKind::kPreempted);
}

// For how long the group has been stopped since this was last asked.
int64_t OffCpu::ThrottledSince() {
  const int64_t before_ns = throttled_.ns;
  ReadQuota();
  return std::max<int64_t>(0, throttled_.ns - before_ns);
}

void OffCpu::ReadQuota() {
  if (!quota_.any()) return;
  quota_read_ns_ = MonotonicNs();
  throttled_ = quota_.Read();
  quota_told_ = false;
}

std::optional<CpuQuota::Throttled> OffCpu::TakeQuota() {
  if (!quota_.any() || std::exchange(quota_told_, true)) return std::nullopt;
  return CpuQuota::Throttled{throttled_.periods - quota_began_.periods,
                             throttled_.throttled - quota_began_.throttled,
                             throttled_.ns - quota_began_.ns};
}

std::span<const OffCpu::Stretch> OffCpu::Take() {
  ReadPauses(/*delay_age_ns=*/0);
  for (const Pause& pause : pauses_) {
    Add(pause.out_ns, pause.in_ns - pause.unserved_ns(),
        pause.fault ? OffCpuKind::kFault : OffCpuKind::kBlocked);
    AddUnserved(pause);
  }
  return stretches_;
}

OffCpu::Wait OffCpu::TakeWait() {
  ReadPauses(kDelayAgeNs);
  Wait wait;
  for (const Pause& pause : pauses_) {
    if (pause.preempted || pause.waited_ns >= kWakeUpNs) AddUnserved(pause);
    if (pause.preempted) continue;
    wait.slept = true;
    wait.woken = TicksAt(pause.in_ns - pause.waited_ns);
  }
  if (quota_.any() && now_ns_ - quota_read_ns_ > kQuotaAgeNs) ThrottledSince();
  wait.stretches = stretches_;
  return wait;
}

}  // namespace edgewise
