#pragma once

#include <cstdint>
#include <vector>

#include "whatif/model/model.h"

namespace edgewise {

// A part of the recording, and where it is replayed.
struct ArrivalBlock {
  int64_t from_ns;  // of the recording: [from_ns, to_ns)
  int64_t to_ns;
  int64_t at_ns;
};

// The recording as it was.
std::vector<ArrivalBlock> RecordedBlocks(const LoopModel& model);

// Blocks of it drawn with replacement, as many: a recording that could as well
// have been made (the moving-block bootstrap keeps bursts). Equal seeds draw
// equal blocks.
// `part`: of its length, (0, 1].
std::vector<ArrivalBlock> DrawnBlocks(const LoopModel& model, uint64_t seed,
                                      double part = 1);

// What comes to a loop, by time.
struct Arrivals {
  struct Item {
    int64_t at_ns;
    uint32_t index;  // in the model's requests or others
  };
  std::vector<Item> requests;
  std::vector<Item> others;
  int64_t span_ns = 0;
};

// `load`: so many times as fast. `share`, `turn`: this loop takes every
// share-th request, from `turn` on.
Arrivals ArrivalsOf(const LoopModel& model,
                    const std::vector<ArrivalBlock>& blocks, double load,
                    uint32_t share = 1, uint32_t turn = 0);

}  // namespace edgewise
