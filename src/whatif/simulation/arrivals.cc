#include "whatif/simulation/arrivals.h"

#include <algorithm>
#include <random>

namespace edgewise {
namespace {

// Few and long: what drifts slowly differs from block to block.
constexpr int64_t kBlocks = 12;

template <typename Each>
size_t FirstFrom(const std::vector<Each>& list, int64_t ns) {
  return static_cast<size_t>(
      std::lower_bound(list.begin(), list.end(), ns,
                       [](const Each& each, int64_t from_ns) {
                         return each.ready_ns < from_ns;
                       }) -
      list.begin());
}

}  // namespace

std::vector<ArrivalBlock> RecordedBlocks(const LoopModel& model) {
  return {{model.begin_ns, model.end_ns + 1, 0}};
}

std::vector<ArrivalBlock> DrawnBlocks(const LoopModel& model, uint64_t seed,
                                      double part) {
  const int64_t span_ns = std::max<int64_t>(1, model.end_ns - model.begin_ns);
  const auto wanted_ns =
      static_cast<int64_t>(static_cast<double>(span_ns) * part);
  const int64_t length_ns = std::max<int64_t>(1, wanted_ns / kBlocks);
  std::mt19937_64 random(seed);
  std::vector<ArrivalBlock> blocks;
  for (int64_t at_ns = 0; at_ns < wanted_ns; at_ns += length_ns) {
    const int64_t latest = span_ns - length_ns;
    const int64_t from_ns =
        model.begin_ns +
        static_cast<int64_t>(random() % static_cast<uint64_t>(latest + 1));
    blocks.push_back({from_ns, from_ns + length_ns, at_ns});
  }
  return blocks;
}

Arrivals ArrivalsOf(const LoopModel& model,
                    const std::vector<ArrivalBlock>& blocks, double load,
                    uint32_t share, uint32_t turn) {
  Arrivals arrivals;
  uint32_t number = 0;
  const auto warped = [&](const ArrivalBlock& block, int64_t ready_ns) {
    const int64_t ns = block.at_ns + ready_ns - block.from_ns;
    return static_cast<int64_t>(static_cast<double>(ns) / load);
  };
  for (const ArrivalBlock& block : blocks) {
    for (size_t i = FirstFrom(model.requests, block.from_ns);
         i < model.requests.size() && model.requests[i].ready_ns < block.to_ns;
         ++i) {
      if (number++ % share != turn) continue;
      arrivals.requests.push_back({warped(block, model.requests[i].ready_ns),
                                   static_cast<uint32_t>(i)});
    }
    for (size_t i = FirstFrom(model.others, block.from_ns);
         i < model.others.size() && model.others[i].ready_ns < block.to_ns;
         ++i) {
      arrivals.others.push_back(
          {warped(block, model.others[i].ready_ns), static_cast<uint32_t>(i)});
    }
    arrivals.span_ns = std::max(arrivals.span_ns, warped(block, block.to_ns));
  }
  return arrivals;
}

}  // namespace edgewise
