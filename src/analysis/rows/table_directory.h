#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "parquet/parquet_table.h"

namespace edgewise {

// The tables of one recording: a directory with a Parquet file each.
class TableDirectory {
 public:
  // Of all tables' columns and their meaning (docs/tables.md).
  static constexpr char kSchema[] = "1";

  explicit TableDirectory(std::string directory)
      : directory_(std::move(directory)) {}

  // A new table, in order of the column `sorted_by`. Null, and told by
  // status(), where its file cannot be made.
  ParquetTable* Add(const char* name, std::vector<ParquetColumn> columns,
                    size_t sorted_by);
  const absl::Status& status() const { return status_; }
  // Unavailable: one of them could not be written.
  absl::Status Close();

 private:
  const std::string directory_;
  std::vector<std::unique_ptr<ParquetTable>> tables_;
  absl::Status status_;
};

// Columns.
inline ParquetColumn WholeColumn(const char* name) {
  return {name, ParquetColumn::Kind::kWhole, false, {}};
}
inline ParquetColumn FlagColumn(const char* name) {
  return {name, ParquetColumn::Kind::kFlag, false, {}};
}
template <typename Text>
ParquetColumn NameColumn(const char* name, Text text) {
  return {name, ParquetColumn::Kind::kName, false, std::move(text)};
}
// The same where values may be missing.
inline ParquetColumn Perhaps(ParquetColumn column) {
  column.optional = true;
  return column;
}
// The name of a value of the trace.
template <typename Enum>
auto TextOfEnum(const char* (*name)(Enum)) {
  return [name](uint32_t value) {
    return std::string(name(static_cast<Enum>(value)));
  };
}

}  // namespace edgewise
