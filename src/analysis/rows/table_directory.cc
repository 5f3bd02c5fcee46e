#include "analysis/rows/table_directory.h"

#include "absl/strings/str_cat.h"

namespace edgewise {

ParquetTable* TableDirectory::Add(const char* name,
                                  std::vector<ParquetColumn> columns,
                                  size_t sorted_by) {
  ParquetTable::Plan plan;
  plan.path = absl::StrCat(directory_, "/", name, ".parquet");
  plan.columns = std::move(columns);
  plan.sorted_by = sorted_by;
  plan.about = {{"edgewise.schema", kSchema}, {"edgewise.table", name}};
  auto table = ParquetTable::Create(std::move(plan));
  if (!table.ok()) {
    status_.Update(table.status());
    return nullptr;
  }
  tables_.push_back(*std::move(table));
  return tables_.back().get();
}

absl::Status TableDirectory::Close() {
  for (const auto& table : tables_) status_.Update(table->Close());
  tables_.clear();
  return status_;
}

}  // namespace edgewise
