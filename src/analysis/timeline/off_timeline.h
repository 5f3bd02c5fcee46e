#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "trace/names.h"
#include "trace/record.h"

namespace edgewise {

// A stretch of time for which the recorded thread did not run. CLOCK_MONOTONIC
// ns.
struct OffSpan {
  int64_t begin_ns;
  int64_t end_ns;
  OffCpuKind kind;
};

// For how long it ran from one moment to another. `off` is in order.
int64_t RanFor(std::span<const OffSpan> off, int64_t from_ns, int64_t to_ns);

// For how long the thread did not run, by cause: of a stretch of time, or
// summed over many.
struct OffTimes {
  std::array<int64_t, kOffCpuKinds> ns{};

  OffTimes& operator+=(const OffTimes& other);
  int64_t total_ns() const;
};

// When the thread did not run, most recent kWindow spans.
class OffTimeline {
 public:
  static constexpr size_t kWindow = size_t{1} << 20;

  // Appends a span; empty ones are left out. Spans must rise.
  void Push(const OffSpan& span);
  // Sums over the time from one moment to another, as far as it is held.
  OffTimes Between(int64_t from_ns, int64_t to_ns) const;
  bool empty() const { return held_.empty(); }
  // The end of a file: nobody asks for what came before.
  void Clear() { held_.clear(); }

 private:
  struct Held {
    OffSpan span;
    OffTimes before;  // of all spans before it
  };
  std::deque<Held> held_;
};

}  // namespace edgewise
