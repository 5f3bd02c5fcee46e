#include "analysis/page/container/column.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace edgewise {

Column Column::In(std::span<const uint32_t> order) const {
  Column sorted(name_, delta_);
  sorted.size_ = order.size();
  if (values_.empty()) return sorted;
  sorted.values_.reserve(order.size());
  for (const uint32_t row : order) sorted.values_.push_back(values_[row]);
  return sorted;
}

std::vector<uint64_t> Column::Stored() const {
  std::vector<uint64_t> stored = values_;
  if (delta_) {
    uint64_t before = 0;
    for (uint64_t& value : stored) value -= std::exchange(before, value);
  }
  return stored;
}

int Column::AppendPlanes(std::string* bytes) const {
  const std::vector<uint64_t> stored = Stored();
  uint64_t all = 0;
  for (const uint64_t value : stored) all |= value;
  const int planes = (std::bit_width(all) + 7) / 8;
  bytes->reserve(bytes->size() + static_cast<size_t>(planes) * size_);
  for (int plane = 0; plane < planes; ++plane) {
    for (const uint64_t value : stored) {
      bytes->push_back(static_cast<char>(value >> (8 * plane)));
    }
  }
  return planes;
}

}  // namespace edgewise
