#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgewise {

// Turns the raw ticks of one trace file into CLOCK_MONOTONIC nanoseconds,
// piecewise linearly between the clock triples of its chunks. Remembers the
// last kSegments pieces, for events that began several chunks ago; what is
// older is extrapolated. Any input yields a time in [0, kMaxNs].
class ClockMap {
 public:
  static constexpr size_t kSegments = 1024;
  static constexpr int64_t kMaxNs = int64_t{1} << 60;
  // From one chunk to the next: a difference must fit a signed number.
  static constexpr uint64_t kMaxSpanTicks = uint64_t{1} << 62;

  // Forgets everything: a new recording begins.
  void Reset();

  // The triple of the next chunk, whose records lie before it. Returns false
  // where the clocks went backward, or on by more than there is: the rate
  // before is then kept.
  bool Advance(uint64_t ticks, int64_t monotonic_ns);

  // As Advance(), after a gap: the rate is taken from the triple that follows
  // (`later_*`), since the one before may be hours old.
  bool AdvanceAcrossGap(uint64_t ticks, int64_t monotonic_ns,
                        uint64_t later_ticks, int64_t later_ns);

  int64_t ToNs(uint64_t ticks) const {
    // The piece of the current chunk, between its two triples: no result can
    // be out of range, and the offset is not negative.
    const uint64_t delta = ticks - current_.ticks;
    if (delta <= current_span_) [[likely]] {
      const double rounded =
          static_cast<double>(static_cast<int64_t>(delta)) * current_.rate +
          0.5;
      return current_.ns + static_cast<int64_t>(rounded);
    }
    return ToNsAnywhere(ticks);
  }

 private:
  struct Segment {
    uint64_t from_ticks = 0;  // valid from here on
    uint64_t ticks = 0;       // the reference point
    int64_t ns = 0;
    double rate = 1.0;  // nanoseconds a tick
  };

  static int64_t Apply(const Segment& segment, uint64_t ticks);
  int64_t ToNsAnywhere(uint64_t ticks) const;
  int64_t Earlier(uint64_t ticks) const;
  void Push(const Segment& segment);

  bool started_ = false;
  uint64_t last_ticks_ = 0;
  int64_t last_ns_ = 0;
  bool has_rate_ = false;
  Segment current_;
  // Ticks from current_.ticks to the chunk's own triple.
  uint64_t current_span_ = 0;
  std::vector<Segment> past_;  // a ring once it holds kSegments
  size_t past_next_ = 0;
};

}  // namespace edgewise
