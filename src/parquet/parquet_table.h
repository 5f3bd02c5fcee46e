#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace edgewise {

// A column of a table. Whole numbers are INT64; a name is a text that is given
// by a number and written once a row group; a flag is 0 or 1.
struct ParquetColumn {
  enum class Kind { kWhole, kName, kFlag };
  std::string name;
  Kind kind = Kind::kWhole;
  bool optional = false;  // values may be missing
  // kName: the text of a number. Called when a row group is written.
  std::function<std::string(uint32_t)> text;
};

// Writes a table as a Parquet file: any reader of the format reads it. Holds
// the rows of one group; nothing is compressed beyond how it is encoded. Rows
// are in order of one column within each group, whatever order they come in.
class ParquetTable {
 public:
  static constexpr size_t kGroupRows = 100'000;
  // Of an optional column: there is no value.
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();

  struct Plan {
    std::string path;  // where no file is yet; it gets mode 0600
    std::vector<ParquetColumn> columns;
    size_t sorted_by = 0;  // the column, of whole numbers, not optional
    // What the file says about itself.
    std::vector<std::pair<std::string, std::string>> about;
    size_t group_rows = kGroupRows;
  };
  static absl::StatusOr<std::unique_ptr<ParquetTable>> Create(Plan plan);
  ~ParquetTable();
  ParquetTable(const ParquetTable&) = delete;
  ParquetTable& operator=(const ParquetTable&) = delete;

  // A row: as many values as there are columns. What goes wrong is told by
  // Close().
  void Add(std::span<const int64_t> values) {
    group_.insert(group_.end(), values.begin(), values.end());
    ++rows_;
    if (++open_rows_ == plan_.group_rows) WriteGroup();
  }
  uint64_t rows() const { return rows_; }
  // Writes what is left. Unavailable: the file could not be written.
  absl::Status Close();

 private:
  ParquetTable(Plan plan, int fd);
  std::vector<uint32_t> Order() const;
  void WriteGroup();
  void Write(const std::string& bytes);
  std::string Footer() const;

  const Plan plan_;
  int fd_;  // -1: closed
  absl::Status status_;
  uint64_t written_ = 0;  // bytes
  uint64_t rows_ = 0;
  std::vector<int64_t> group_;  // the open one, row by row
  size_t open_rows_ = 0;
  std::vector<int64_t> columns_;  // of it, while it is written
  std::string groups_;  // those that are written, as the footer has them
  size_t group_count_ = 0;
};

}  // namespace edgewise
