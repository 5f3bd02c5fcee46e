#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "platform/clock.h"
#include "platform/scheduler/cpu_quota.h"
#include "platform/scheduler/perf_ring.h"
#include "platform/scheduler/run_delay.h"
#include "trace/record.h"

namespace edgewise {

// When the thread that it was made by was not running, and why. The kernel
// writes each switch into a ring (370 ns for the two of a pause); all else is
// asked only when the ring says that there was one.
class OffCpu {
 public:
  // Why not: perf_event_open's own word.
  static absl::StatusOr<std::unique_ptr<OffCpu>> Start();

  // Whether it has been off since the last Take...(). 1 ns.
  bool moved() const { return ring_->moved(); }

  // A stretch of time, ticks, for which it did not run.
  struct Stretch {
    uint64_t begin;
    uint64_t end;
    OffCpuKind kind;
  };
  // Since the last call. Valid until the next one.
  std::span<const Stretch> Take();

  // The same for a time in which the thread waited for what is to be done next:
  // its sleep is none of these.
  struct Wait {
    std::span<const Stretch> stretches;
    bool slept = false;
    uint64_t woken = 0;  // when something ended its last sleep, ticks
  };
  Wait TakeWait();

  // Switches that the kernel had no room to tell of, since the last call.
  uint64_t TakeLost() {
    return ring_->lost() - std::exchange(lost_told_, ring_->lost());
  }

  // What the quotas have done since the start; nothing where it is what the
  // last call has told.
  std::optional<CpuQuota::Throttled> TakeQuota();
  // Asks the kernel anew.
  void ReadQuota();

 private:
  // Off from one moment to another, CLOCK_MONOTONIC.
  struct Pause {
    int64_t out_ns;
    int64_t in_ns;
    bool preempted;
    bool fault;
    int64_t waited_ns;     // at its end, for a processor
    int64_t throttled_ns;  // of that, or of all if it was preempted

    // It could have run.
    int64_t unserved_ns() const {
      return preempted ? in_ns - out_ns : waited_ns;
    }
  };

  explicit OffCpu(std::unique_ptr<PerfRing> ring);
  // `delay_age_ns`: the scheduler's sum may be as old as that.
  void ReadPauses(int64_t delay_age_ns);
  void ReadRing();
  void NoteFault(int64_t until_ns);
  void ShareRunDelay(int64_t delay_ns);
  void Add(int64_t begin_ns, int64_t end_ns, OffCpuKind kind);
  void AddUnserved(const Pause& pause);
  void ShareThrottled();
  uint64_t TicksAt(int64_t ns) const {
    return now_ticks_ - NsToTicks(static_cast<double>(now_ns_ - ns));
  }
  int64_t ThrottledSince();

  const std::unique_ptr<PerfRing> ring_;  // of switches and major faults
  uint64_t lost_told_ = 0;
  const RunDelay run_delay_;
  const CpuQuota quota_;

  // run_delay_, when it was last read, and what is told since; the pause at
  // whose end that was.
  int64_t delay_ns_ = 0;
  int64_t delay_read_ns_ = 0;
  bool delay_known_ = true;  // of the pauses since
  const CpuQuota::Throttled quota_began_;
  CpuQuota::Throttled throttled_;  // quota_'s, likewise
  bool quota_told_ = false;
  int64_t quota_read_ns_ = 0;
  // The clocks, as they were together.
  uint64_t now_ticks_ = 0;
  int64_t now_ns_ = 0;
  std::vector<Pause> pauses_;
  std::vector<Stretch> stretches_;
};

}  // namespace edgewise
