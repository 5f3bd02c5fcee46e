#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "analysis/page/container/column.h"

namespace edgewise {

// Tables of columns, and a head that says what they are (docs/page-data.md).
class PageContainer {
 public:
  // What is told beside the tables.
  nlohmann::ordered_json& head() { return head_; }
  // Its columns have a number for each row.
  void AddTable(const char* name, std::span<const Column> columns);
  std::string Bytes() const;

 private:
  nlohmann::ordered_json head_;
  nlohmann::ordered_json tables_;
  std::string planes_;
};

}  // namespace edgewise
