#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "platform/scheduler/perf_ring.h"
#include "platform/scheduler/run_delay.h"
#include "recorder/off_cpu/pause.h"

namespace edgewise {

// The pauses of the thread that it was made by, each by itself. The kernel
// writes each switch into a ring (370 ns for the two of a pause); all else is
// asked only when the ring says that there was one.
class SwitchPauses {
 public:
  // Why not: perf_event_open's own word.
  static absl::StatusOr<std::unique_ptr<SwitchPauses>> Start();

  // Whether there is one that Read() has not told. 1 ns.
  bool moved() const { return ring_->moved(); }

  // Appends those since the last call, in order. `delay_age_ns`: what the
  // scheduler says of who waited for a processor may be as old as that.
  void Read(int64_t delay_age_ns, std::vector<Pause>* pauses);

  // Switches that the kernel had no room to tell of, since the last call.
  uint64_t TakeLost() {
    return ring_->lost() - std::exchange(lost_told_, ring_->lost());
  }

 private:
  explicit SwitchPauses(std::unique_ptr<PerfRing> ring);
  void ReadRing(std::vector<Pause>* pauses);
  void ShareRunDelay(int64_t delay_ns, std::vector<Pause>* pauses);

  const std::unique_ptr<PerfRing> ring_;  // of switches and major faults
  uint64_t lost_told_ = 0;
  const RunDelay run_delay_;

  // run_delay_, when it was last read, and what is told since; the pause at
  // whose end that was.
  int64_t delay_ns_ = 0;
  int64_t delay_read_ns_ = 0;
  bool delay_known_ = true;  // of the pauses since
};

}  // namespace edgewise
