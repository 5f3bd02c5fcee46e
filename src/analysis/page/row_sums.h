#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace edgewise {

// Of each row, how much of what: times by cause.
class RowSums {
 public:
  void Add(uint32_t row, uint32_t what, int64_t ns) {
    if (ns > 0) sums_[static_cast<uint64_t>(row) << 32 | what] += ns;
  }

  size_t size() const { return sums_.size(); }

  struct Entry {
    uint32_t row;
    uint32_t what;
    int64_t ns;
  };
  // Rows in order; of each the largest first.
  std::vector<Entry> Sorted() const {
    std::vector<Entry> entries;
    entries.reserve(sums_.size());
    for (const auto& [key, ns] : sums_) {
      entries.push_back(
          {static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key), ns});
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) {
                if (a.row != b.row) return a.row < b.row;
                return a.ns != b.ns ? a.ns > b.ns : a.what < b.what;
              });
    return entries;
  }

 private:
  absl::flat_hash_map<uint64_t, int64_t> sums_;
};

}  // namespace edgewise
