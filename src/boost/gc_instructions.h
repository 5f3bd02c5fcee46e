#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "platform/cycle_counters.h"

namespace edgewise {

// Instructions and cycles of the event loop's collections: what raising the
// frequency gains depends on how many instructions they retire a cycle (1.3 in
// VEE'19 section 6.1).
class GcInstructions {
 public:
  struct Sums {
    uint64_t collections = 0;  // nested ones count once
    uint64_t instructions = 0;
    uint64_t cycles = 0;
  };

  // The calling thread is the loop's.
  explicit GcInstructions(const std::string& library = "")
      : counters_(library) {}

  // Loop thread.
  void Begin() {
    if (depth_++ == 0) begin_ = counters_.Read();
  }
  void End() {
    if (depth_ == 0 || --depth_ != 0 || !begin_.has_value()) return;
    const auto end = counters_.Read();
    if (!end.has_value()) return;
    Add(&collections_, 1);
    Add(&instructions_, end->instructions - begin_->instructions);
    Add(&cycles_, end->cycles - begin_->cycles);
  }

  // Any thread.
  Sums sums() const {
    return {collections_.load(std::memory_order_relaxed),
            instructions_.load(std::memory_order_relaxed),
            cycles_.load(std::memory_order_relaxed)};
  }
  // Why there are none; empty: they are counted.
  const std::string& unavailable() const { return counters_.unavailable(); }

 private:
  // One writer; relaxed: sums that a reader may see one collection apart.
  static void Add(std::atomic<uint64_t>* sum, uint64_t value) {
    sum->store(sum->load(std::memory_order_relaxed) + value,
               std::memory_order_relaxed);
  }

  CycleCounters counters_;
  uint32_t depth_ = 0;
  std::optional<CycleCounters::Counts> begin_;
  std::atomic<uint64_t> collections_{0};
  std::atomic<uint64_t> instructions_{0};
  std::atomic<uint64_t> cycles_{0};
};

}  // namespace edgewise
