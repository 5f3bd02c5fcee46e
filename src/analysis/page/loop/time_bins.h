#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "analysis/graph/loop_timeline.h"
#include "analysis/timeline/off_timeline.h"

namespace edgewise {

// What all loops did over time, in equal parts of it: as fine as there is room
// for.
class TimeBins {
 public:
  enum Kind : size_t {
    kBusy,
    kMinorGc,
    kMajorGc,
    kOff,  // then those of OffCpuKind
  };
  static constexpr size_t kKinds = kOff + kOffCpuKinds;
  static constexpr size_t kMost = 2000;

  void OnPiece(const Piece& piece);
  void OnIdleOff(const OffSpan& span);

  using Bin = std::array<int64_t, kKinds>;

  // By number; a bin that nothing happened in is left out. Bin n begins n times
  // width_ns() after moment 0 of the clock.
  const std::map<int64_t, Bin>& bins() const { return bins_; }
  int64_t width_ns() const { return int64_t{1} << shift_; }

 private:
  void Add(size_t kind, int64_t from_ns, int64_t to_ns);
  void Widen();

  int shift_ = 20;
  std::map<int64_t, Bin> bins_;
  int64_t number_ = 0;  // of the latest
  Bin* bin_ = nullptr;  // that one; null: there is none
};

}  // namespace edgewise
