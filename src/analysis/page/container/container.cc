#include "analysis/page/container/container.h"

#include <utility>

namespace edgewise {

using Json = nlohmann::ordered_json;

void PageContainer::AddTable(const char* name,
                             std::span<const Column> columns) {
  Json table;
  table["rows"] = columns.empty() ? 0 : columns.front().size();
  table["columns"] = Json::array();
  for (const Column& column : columns) {
    Json head = {{"name", column.name()},
                 {"planes", column.AppendPlanes(&planes_)}};
    if (column.delta()) head["delta"] = true;
    table["columns"].push_back(std::move(head));
  }
  tables_[name] = std::move(table);
}

std::string PageContainer::Bytes() const {
  Json head = head_;
  head["tables"] = tables_;
  const std::string text =
      head.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes = "EWPG";
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>(text.size() >> shift));
  }
  return bytes + text + planes_;
}

}  // namespace edgewise
