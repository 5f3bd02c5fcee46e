#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "platform/clock.h"
#include "platform/scheduler/cpu_quota.h"
#include "recorder/off_cpu/pause.h"
#include "recorder/off_cpu/summed_pauses.h"
#include "recorder/off_cpu/switch_pauses.h"
#include "trace/record.h"

namespace edgewise {

// When the thread that it was made by was not running, and why: each switch by
// itself where the kernel tells them, else their sums.
class OffCpu {
 public:
  // Why not: the kernel's own words.
  static absl::StatusOr<std::unique_ptr<OffCpu>> Start();

  // As Start() where the kernel tells no switches, for that reason.
  static absl::StatusOr<std::unique_ptr<OffCpu>> StartWithSums(
      absl::Status no_switches);

  // Ok: each switch is told. Else why there are sums alone: what Take() tells
  // of an event is known in length, and not when within it.
  const absl::Status& switches() const { return no_switches_; }

  // Whether it has been off since the last Take...(), or may have been. 1 ns.
  bool moved() const {
    return switch_pauses_ != nullptr ? switch_pauses_->moved()
                                     : summed_pauses_->due();
  }

  // A stretch of time, ticks, for which it did not run.
  struct Stretch {
    uint64_t begin;
    uint64_t end;
    OffCpuKind kind;
  };
  // Since the last call. Valid until the next one. `begin` and `end`: of the
  // event before this, ticks.
  std::span<const Stretch> Take(uint64_t begin, uint64_t end);

  // The same for a time in which the thread waited for what is to be done next:
  // its sleep is none of these.
  struct Wait {
    std::span<const Stretch> stretches;
    bool slept = false;
    uint64_t woken = 0;  // when something ended its last sleep, ticks
  };
  // From `begin` to `end`, ticks.
  Wait TakeWait(uint64_t begin, uint64_t end);

  // One that was not worth a call has ended.
  void NoWait() { ++waits_ago_; }

  // Whether what was ready at `ready`, ticks, has waited for the thread though
  // that slept, `waits_ago` (0: the last). It could have run since then, which
  // the kernel's count of that does not wholly tell.
  bool IsLate(uint64_t ready, uint64_t waits_ago) const {
    return waits_ago == waits_ago_ && ready > sleep_.begin &&
           ready + wake_up_ticks_ < sleep_.end;
  }
  // For that time. Once a sleep: all that came in it waited for the same.
  std::span<const Stretch> TakeLate(uint64_t ready);

  // Switches that the kernel had no room to tell of, since the last call.
  uint64_t TakeLost() {
    return switch_pauses_ != nullptr ? switch_pauses_->TakeLost() : 0;
  }

  // Page faults of the thread since the start. Nothing where there were none
  // since the last that were told; `soon`: or minor ones only, and that is less
  // than 100 ms ago. 0.3 µs.
  struct Faults {
    uint32_t minor = 0;
    uint64_t major = 0;
    bool operator==(const Faults&) const = default;
  };
  std::optional<Faults> TakeFaults(bool soon);
  // Whether an event took so long that they are worth a look: 1 ms.
  bool IsLong(uint64_t ticks) const { return ticks > long_ticks_; }

  // What the quotas have done since the start; nothing where it is what the
  // last call has told.
  std::optional<CpuQuota::Throttled> TakeQuota();
  // Asks the kernel anew.
  void ReadQuota();

 private:
  OffCpu(std::unique_ptr<SwitchPauses> switches,
         std::unique_ptr<SummedPauses> sums, absl::Status no_switches);
  // Fills pauses_ with those since the last call. `wait`: from `begin` to `end`
  // the thread was to sleep; returns whether it did. Else an event ran then.
  bool ReadPauses(uint64_t begin, uint64_t end, bool wait);
  void ReadNow();
  void Add(int64_t begin_ns, int64_t end_ns, OffCpuKind kind);
  void AddUnserved(const Pause& pause);
  void ShareThrottled();
  uint64_t TicksAt(int64_t ns) const {
    return now_ticks_ - NsToTicks(static_cast<double>(now_ns_ - ns));
  }
  int64_t NsAt(uint64_t ticks) const {
    return now_ns_ - TickNs(now_ticks_ - ticks);
  }
  int64_t ThrottledSince();

  // One of the two.
  const std::unique_ptr<SwitchPauses> switch_pauses_;
  const std::unique_ptr<SummedPauses> summed_pauses_;
  const absl::Status no_switches_;
  const rusage usage_began_;
  const uint64_t long_ticks_ = NsToTicks(1e6);
  const uint64_t wake_up_ticks_;
  Faults faults_told_;
  uint64_t faults_told_ticks_ = 0;
  const CpuQuota quota_;

  const CpuQuota::Throttled quota_began_;
  CpuQuota::Throttled throttled_;  // at the last look
  bool quota_told_ = false;
  int64_t quota_read_ns_ = 0;
  int64_t unshared_ns_ = 0;  // the group was stopped for, at the last look
  // The loop's last sleep, until something ended it, ticks.
  struct {
    uint64_t begin = 0;
    uint64_t end = 0;
  } sleep_;
  uint64_t waits_ago_ = 0;
  // The clocks, as they were together.
  uint64_t now_ticks_ = 0;
  int64_t now_ns_ = 0;
  std::vector<Pause> pauses_;
  std::vector<Stretch> stretches_;
};

}  // namespace edgewise
