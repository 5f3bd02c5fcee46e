#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgewise {

// Of each row, how much of what: times by cause. Rows mostly come in order.
class RowSums {
 public:
  struct Entry {
    uint32_t row;
    uint32_t what;
    int64_t ns;
  };

  void Add(uint32_t row, uint32_t what, int64_t ns) {
    if (ns <= 0) return;
    for (size_t i = entries_.size(); i-- > 0 && entries_[i].row == row;) {
      if (entries_[i].what != what) continue;
      entries_[i].ns += ns;
      return;
    }
    entries_.push_back({row, what, ns});
    if (entries_.size() < sum_up_) return;
    entries_ = Sorted();
    sum_up_ = std::max(sum_up_, 2 * entries_.size());
  }
  // No more than so many.
  size_t size() const { return entries_.size(); }

  // Rows in order; of each the largest first.
  std::vector<Entry> Sorted() const {
    std::vector<Entry> sorted = ByRow();
    size_t kept = 0;
    for (size_t begin = 0; begin < sorted.size();) {
      size_t end = begin;
      while (end < sorted.size() && sorted[end].row == sorted[begin].row) ++end;
      const size_t first = kept;
      for (size_t i = begin; i < end; ++i) {
        const Entry entry = sorted[i];
        size_t known = first;
        while (known < kept && sorted[known].what != entry.what) ++known;
        if (known < kept) {
          sorted[known].ns += entry.ns;
        } else {
          sorted[kept++] = entry;
        }
      }
      std::sort(sorted.begin() + static_cast<ptrdiff_t>(first),
                sorted.begin() + static_cast<ptrdiff_t>(kept),
                [](const Entry& a, const Entry& b) {
                  return a.ns != b.ns ? a.ns > b.ns : a.what < b.what;
                });
      begin = end;
    }
    sorted.resize(kept);
    return sorted;
  }

 private:
  // A counting sort.
  std::vector<Entry> ByRow() const {
    uint32_t rows = 0;
    for (const Entry& entry : entries_) rows = std::max(rows, entry.row + 1);
    std::vector<size_t> places(rows + size_t{1});
    for (const Entry& entry : entries_) ++places[entry.row + 1];
    for (size_t row = 0; row < rows; ++row) places[row + 1] += places[row];
    std::vector<Entry> sorted(entries_.size());
    for (const Entry& entry : entries_) sorted[places[entry.row]++] = entry;
    return sorted;
  }

  std::vector<Entry> entries_;
  size_t sum_up_ = size_t{1} << 23;
};

}  // namespace edgewise
