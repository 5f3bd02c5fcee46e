#include "recorder/off_cpu/off_cpu.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

// A loop that sleeps between all requests does not ask after each: so late it
// may be told of the sleep after the one at whose end it was.
constexpr int64_t kDelayAgeNs = 200'000;
// A wake-up takes some µs; what took longer was waiting for a processor.
constexpr int64_t kWakeUpNs = 50'000;
// The kernel stops a group for longer than this.
constexpr int64_t kLeastThrottleNs = 1'000'000;
// What other threads of the group were stopped for so long ago is not ours.
constexpr int64_t kQuotaAgeNs = 50'000'000;

}  // namespace

absl::StatusOr<std::unique_ptr<OffCpu>> OffCpu::Start() {
  auto switches = SwitchPauses::Start();
  if (!switches.ok()) return StartWithSums(switches.status());
  return std::unique_ptr<OffCpu>(
      new OffCpu(*std::move(switches), nullptr, absl::OkStatus()));
}

absl::StatusOr<std::unique_ptr<OffCpu>> OffCpu::StartWithSums(
    absl::Status no_switches) {
  auto sums = SummedPauses::Start();
  if (!sums.ok()) {
    return absl::Status(
        sums.status().code(),
        absl::StrCat(no_switches.message(), "; ", sums.status().message()));
  }
  return std::unique_ptr<OffCpu>(
      new OffCpu(nullptr, *std::move(sums), std::move(no_switches)));
}

OffCpu::OffCpu(std::unique_ptr<SwitchPauses> switches,
               std::unique_ptr<SummedPauses> sums, absl::Status no_switches)
    : switch_pauses_(std::move(switches)),
      summed_pauses_(std::move(sums)),
      no_switches_(std::move(no_switches)),
      usage_began_(ThreadUsage()),
      wake_up_ticks_(NsToTicks(kWakeUpNs)),
      quota_(CpuQuota::Find()),
      quota_began_(quota_.Read()),
      throttled_(quota_began_),
      quota_read_ns_(MonotonicNs()) {}

bool OffCpu::ReadPauses(uint64_t begin, uint64_t end, bool wait) {
  pauses_.clear();
  stretches_.clear();
  unshared_ns_ = 0;
  bool slept = wait && end > begin;
  if (switch_pauses_ != nullptr) {
    switch_pauses_->Read(slept ? kDelayAgeNs : 0, &pauses_);
    slept = std::any_of(pauses_.begin(), pauses_.end(),
                        [](const Pause& pause) { return !pause.preempted; });
  } else if (summed_pauses_->due()) {
    if (slept) {
      slept = summed_pauses_->ReadWait(&pauses_);
    } else {
      ReadNow();
      summed_pauses_->Read(NsAt(begin), NsAt(end), &pauses_);
    }
  } else if (slept) {
    slept = summed_pauses_->LeaveOut(end - begin);
  }
  ReadNow();
  ShareThrottled();
  return slept;
}

void OffCpu::ReadNow() {
  const ClockTriple clocks = ReadClocks();
  now_ticks_ = clocks.ticks;
  now_ns_ = clocks.monotonic_ns;
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
  int64_t left_ns = unshared_ns_ + ThrottledSince();
  for (Pause* const pause : unserved) {
    pause->throttled_ns = std::min(left_ns, pause->unserved_ns());
    left_ns -= pause->throttled_ns;
  }
  unshared_ns_ = left_ns;
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

std::optional<OffCpu::Faults> OffCpu::TakeFaults(bool soon) {
  constexpr uint64_t kApart = 100;  // times 1 ms
  const rusage usage = ThreadUsage();
  const Faults faults = {
      static_cast<uint32_t>(usage.ru_minflt - usage_began_.ru_minflt),
      static_cast<uint64_t>(usage.ru_majflt - usage_began_.ru_majflt)};
  const uint64_t now = Ticks();
  const bool may_wait = soon && faults.major == faults_told_.major &&
                        now - faults_told_ticks_ < kApart * long_ticks_;
  if (faults == faults_told_ || may_wait) return std::nullopt;
  faults_told_ = faults;
  faults_told_ticks_ = now;
  return faults;
}

std::optional<CpuQuota::Throttled> OffCpu::TakeQuota() {
  if (!quota_.any() || std::exchange(quota_told_, true)) return std::nullopt;
  return CpuQuota::Throttled{throttled_.periods - quota_began_.periods,
                             throttled_.throttled - quota_began_.throttled,
                             throttled_.ns - quota_began_.ns};
}

std::span<const OffCpu::Stretch> OffCpu::Take(uint64_t begin, uint64_t end) {
  ReadPauses(begin, end, /*wait=*/false);
  for (const Pause& pause : pauses_) {
    Add(pause.out_ns, pause.in_ns - pause.unserved_ns(),
        pause.fault ? OffCpuKind::kFault : OffCpuKind::kBlocked);
    AddUnserved(pause);
  }
  return stretches_;
}

OffCpu::Wait OffCpu::TakeWait(uint64_t begin, uint64_t end) {
  Wait wait;
  wait.slept = ReadPauses(begin, end, /*wait=*/true);
  if (wait.slept) wait.woken = end;
  ++waits_ago_;
  for (const Pause& pause : pauses_) {
    if (pause.preempted || pause.waited_ns >= kWakeUpNs) AddUnserved(pause);
    if (pause.preempted) continue;
    wait.woken = std::min(end, TicksAt(pause.in_ns - pause.waited_ns));
    sleep_ = {TicksAt(pause.out_ns), wait.woken};
    waits_ago_ = 0;
  }
  if (quota_.any() && now_ns_ - quota_read_ns_ > kQuotaAgeNs) ThrottledSince();
  wait.stretches = stretches_;
  return wait;
}

std::span<const OffCpu::Stretch> OffCpu::TakeLate(uint64_t ready) {
  pauses_ = {{NsAt(ready), NsAt(std::exchange(sleep_, {}).end),
              /*preempted=*/true, /*fault=*/false}};
  stretches_.clear();
  ShareThrottled();
  AddUnserved(pauses_.front());
  return stretches_;
}

}  // namespace edgewise
