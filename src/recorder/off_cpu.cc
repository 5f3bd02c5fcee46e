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
constexpr size_t kSwitchBytes = 32 << 10;
constexpr size_t kFaultBytes = 4 << 10;

// A pause between two reads of the same is rare, two are rarer.
constexpr int kMostReads = 3;
// A wake-up takes some µs; what took longer was waiting for a processor.
constexpr int64_t kWakeUpNs = 50'000;
// The kernel stops a group for longer than this.
constexpr int64_t kLeastThrottleNs = 1'000'000;
// What other threads of the group were stopped for so long ago is not ours.
constexpr int64_t kQuotaAgeNs = 50'000'000;
// Between the pauses of one page fault the kernel does not take longer.
constexpr int64_t kSameFaultNs = 50'000;

perf_event_attr Software(uint64_t config) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  return attr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OffCpu>> OffCpu::Start() {
  // No ring: what the kernel says of it is not asked.
  if (!OutlivesCall(
          [] { syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); })) {
    return absl::PermissionDeniedError(
        "a sandbox ends who calls perf_event_open");
  }
  perf_event_attr attr = Software(PERF_COUNT_SW_DUMMY);
  attr.context_switch = 1;
  auto switches = PerfRing::Open(attr, kSwitchBytes);
  if (!switches.ok()) return switches.status();
  perf_event_attr major = Software(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
  major.sample_period = 1;
  auto faults = PerfRing::Open(major, kFaultBytes);
  return std::unique_ptr<OffCpu>(new OffCpu(
      *std::move(switches), faults.ok() ? *std::move(faults) : nullptr));
}

OffCpu::OffCpu(std::unique_ptr<PerfRing> switches,
               std::unique_ptr<PerfRing> faults)
    : switches_(std::move(switches)),
      faults_(std::move(faults)),
      quota_(CpuQuota::Find()),
      delay_ns_(run_delay_.Ns()),
      quota_began_(quota_.Read()),
      throttled_(quota_began_),
      quota_read_ns_(MonotonicNs()) {}

void OffCpu::ReadPauses() {
  pauses_.clear();
  stretches_.clear();
  // The scheduler's sum is the pauses' own only if there is none after them.
  // Whoever is traced pauses at each call: hence the limit.
  int64_t delay_ns = delay_ns_;
  for (int reads = 0; reads < kMostReads && switches_->moved(); ++reads) {
    ReadSwitches();
    delay_ns = run_delay_.Ns();
  }
  now_ns_ = MonotonicNs();
  now_ticks_ = Ticks();
  if (faults_ != nullptr && faults_->moved()) [[unlikely]]
    ReadFaults();
  ShareRunDelay(delay_ns - std::exchange(delay_ns_, delay_ns));
  ShareThrottled();
}

void OffCpu::ReadSwitches() {
  int64_t out_ns = 0;
  bool preempted = false;
  switches_->Drain([&](const PerfRing::Entry& entry) {
    if (entry.type != PERF_RECORD_SWITCH) {
      out_ns = 0;
    } else if ((entry.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
      out_ns = entry.ns;
      preempted = (entry.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
    } else if (out_ns != 0) {
      pauses_.push_back({out_ns, entry.ns, preempted, false, 0, 0});
      out_ns = 0;
    }
  });
}

// A major fault is told when it is over: what the thread slept for just before
// was the page.
void OffCpu::ReadFaults() {
  faults_->Drain([&](const PerfRing::Entry& entry) {
    if (entry.type != PERF_RECORD_SAMPLE) return;
    auto pause =
        std::find_if(pauses_.rbegin(), pauses_.rend(),
                     [&](const Pause& each) { return each.in_ns <= entry.ns; });
    for (int64_t until_ns = entry.ns;
         pause != pauses_.rend() && until_ns - pause->in_ns < kSameFaultNs;
         ++pause) {
      pause->fault = !pause->preempted;
      until_ns = pause->out_ns;
    }
  });
}

// What the scheduler says beyond the pauses in which it took the processor
// away is how long the thread waited for one after it had been woken.
void OffCpu::ShareRunDelay(int64_t delay_ns) {
  int64_t slept_ns = 0;
  for (const Pause& pause : pauses_) {
    const int64_t length_ns = pause.in_ns - pause.out_ns;
    if (pause.preempted) {
      delay_ns -= length_ns;
    } else {
      slept_ns += length_ns;
    }
  }
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
  ReadPauses();
  for (const Pause& pause : pauses_) {
    Add(pause.out_ns, pause.in_ns - pause.unserved_ns(),
        pause.fault ? OffCpuKind::kFault : OffCpuKind::kBlocked);
    AddUnserved(pause);
  }
  return stretches_;
}

OffCpu::Wait OffCpu::TakeWait() {
  ReadPauses();
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
