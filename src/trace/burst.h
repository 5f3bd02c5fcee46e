#pragma once

#include <bit>
#include <cstdint>

namespace edgewise {

// When dear layers record: in bursts that nobody coordinates, as each process
// finds them by its own CLOCK_REALTIME (NSDI'18, section 3.3). A burst is where
// all bits of the configuration are set in the milliseconds since 1970: 96 is
// 32 ms of every 128.
class Burst {
 public:
  static constexpr int64_t kMsNs = 1'000'000;

  // 0: always.
  explicit Burst(uint64_t config) : config_(config) {}

  uint64_t config() const { return config_; }

  // Of one burst; 0: it is always.
  int64_t duration_ns() const {
    return static_cast<int64_t>(config_ & -config_) * kMsNs;
  }

  bool On(int64_t realtime_ns) const {
    return (MsOf(realtime_ns) & config_) == config_;
  }

  // Whether all of it lies in one.
  bool Holds(int64_t begin_ns, int64_t end_ns) const {
    if (config_ == 0) return true;
    const uint64_t of_burst = ~((config_ & -config_) - 1);
    return On(begin_ns) &&
           (MsOf(begin_ns) & of_burst) == (MsOf(end_ns) & of_burst);
  }

  // When the burst is that runs or comes next, CLOCK_REALTIME.
  int64_t NextNs(int64_t realtime_ns) const {
    if (On(realtime_ns)) return realtime_ns;
    uint64_t ms = MsOf(realtime_ns);
    // The least number from there on: the highest bit that lacks is set, and
    // those below it begin anew.
    while ((ms & config_) != config_) {
      const int bit = std::bit_width(config_ & ~ms) - 1;
      ms = ((ms >> bit) | 1) << bit;
    }
    return static_cast<int64_t>(ms) * kMsNs;
  }

 private:
  static uint64_t MsOf(int64_t ns) {
    return static_cast<uint64_t>(ns < 0 ? 0 : ns / kMsNs);
  }

  uint64_t config_;
};

}  // namespace edgewise
