#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "platform/clock.h"
#include "platform/scheduler/run_delay.h"
#include "recorder/off_cpu/pause.h"

namespace edgewise {

// What the pauses of the thread that it was made by come to, from the kernel's
// sums: its processor time, how long it waited for a processor, its sleeps and
// major faults. For how long it paused is known, and not when: all is one
// pause. For where no ring may be had.
class SummedPauses {
 public:
  // Unavailable: the kernel does not say how long a thread waits for a
  // processor.
  static absl::StatusOr<std::unique_ptr<SummedPauses>> Start();

  // Whether the last look is so long ago that another one pays. 8 ns.
  bool due() const { return Ticks() - looked_ticks_ > look_ticks_; }

  // Appends what came since the last call, if it is not too short to be told
  // from what looking takes. From `begin_ns` to `end_ns` an event has run: the
  // pause is in its middle, since what it answers is mostly answered before its
  // end.
  void Read(int64_t begin_ns, int64_t end_ns, std::vector<Pause>* pauses);
  // The same where the thread was to sleep until now: its pause ends now.
  // Returns whether it has slept.
  bool ReadWait(std::vector<Pause>* pauses);
  // A wait of `ticks`, just over, is none of what the next call is to tell.
  // Returns whether it slept.
  bool LeaveOut(uint64_t ticks);

 private:
  struct Sums {
    int64_t now_ns;
    int64_t cpu_ns;
    int64_t delay_ns;  // -1: not known
    int64_t sleeps;
    int64_t switches;  // those and others
    int64_t major_faults;
    int cpu;  // where it ran
  };

  // What two looks differ by.
  struct Difference {
    int64_t off_ns;     // not on a processor
    int64_t waited_ns;  // of that, for one
    bool slept;
    bool fault;  // each sleep was one
  };

  SummedPauses();
  Sums Now() const;
  Sums ReadAtOnce() const;
  Difference Next();

  const RunDelay run_delay_;
  const uint64_t look_ticks_;
  Sums before_;
  uint64_t looked_ticks_;
  int64_t sleeps_;                 // when they were last read
  uint64_t left_out_ticks_ = 0;    // since the last look
  int64_t left_out_ = 0;           // sleeps in that
  int64_t left_out_until_ns_ = 0;  // the last of them
};

}  // namespace edgewise
