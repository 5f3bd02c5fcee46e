#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/page/container/column.h"
#include "analysis/page/container/container.h"

namespace edgewise {

// A table that is filled row by row.
template <size_t kColumns>
class Rows {
 public:
  explicit Rows(const std::array<const char*, kColumns>& names) {
    for (const char* name : names) columns_.emplace_back(name);
  }
  // A row is in order of the first column, which holds differences.
  static Rows Rising(const std::array<const char*, kColumns>& names) {
    Rows rows(names);
    rows.columns_.front() = Column(names.front(), /*delta=*/true);
    return rows;
  }
  void Add(const std::array<uint64_t, kColumns>& values) {
    for (size_t i = 0; i < kColumns; ++i) columns_[i].Push(values[i]);
  }
  void AddTo(PageContainer* page, const char* name) const {
    page->AddTable(name, columns_);
  }

 private:
  std::vector<Column> columns_;
};

}  // namespace edgewise
