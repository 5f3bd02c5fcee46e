#include "hooks/heap_sizes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace edgewise {

HeapSizes::HeapSizes(v8::Isolate* isolate)
    : isolate_(isolate), young_space_(kNone) {
  for (size_t i = 0; i < isolate->NumberOfHeapSpaces(); ++i) {
    v8::HeapSpaceStatistics space;
    if (isolate->GetHeapSpaceStatistics(&space, i) &&
        std::strcmp(space.space_name(), "new_space") == 0) {
      young_space_ = i;
    }
  }
}

HeapSizes::Sizes HeapSizes::Now() {
  v8::HeapSpaceStatistics young;
  v8::HeapStatistics all;
  if (!isolate_->GetHeapSpaceStatistics(&young, young_space_)) return {};
  isolate_->GetHeapStatistics(&all);
  const uint64_t used = young.space_used_size();
  return {used, std::max<uint64_t>(all.used_heap_size(), used) - used,
          used + young.space_available_size()};
}

void HeapSizes::Begin() {
  if (young_space_ == kNone) return;
  before_ = Now();
  begun_ = true;
}

bool HeapSizes::End(uint64_t ticks, Record* record) {
  if (!std::exchange(begun_, false)) return false;
  const Sizes after = Now();
  record->ticks = ticks;
  record->kind = RecordKind::kHeap;
  record->duration = std::bit_cast<float>(static_cast<uint32_t>(before_.young));
  record->ready_before =
      std::bit_cast<float>(static_cast<uint32_t>(after.young));
  SetIds(*record, before_.old & kIdMask, after.old & kIdMask);
  record->aux = static_cast<uint32_t>(before_.semi_space / 1024);
  return true;
}

}  // namespace edgewise
