#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "test/native/analysis/report_kit.h"

namespace edgewise {

// Where files without a name may lie.
inline const std::vector<std::string>& ScratchPlaces() {
  static const std::vector<std::string> places = {testing::TempDir()};
  return places;
}

using Table = std::map<std::string, std::vector<uint64_t>>;

// What docs/page-data.md says of the container.
class Page {
 public:
  explicit Page(const std::string& bytes) : bytes_(bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "EWPG");
    size_t length = 0;
    for (int i = 0; i < 4; ++i) {
      length |= static_cast<size_t>(static_cast<uint8_t>(bytes[4 + i]))
                << (8 * i);
    }
    head = Json::parse(bytes.substr(8, length));
    next_ = 8 + length;
    for (const auto& [name, table] : head["tables"].items()) {
      for (const Json& column : table["columns"]) {
        tables[name][column["name"]] = Read(table["rows"], column);
      }
    }
    EXPECT_EQ(next_, bytes.size());
  }

  // What a request queued behind, ns.
  std::map<std::string, uint64_t> Behind(size_t request) {
    const Table& blocks = tables["blocks"];
    const Table& requests = tables["requests"];
    size_t first = 0;
    for (size_t row = 0; row < request; ++row) {
      first += requests.at("blocks")[row];
    }
    std::map<std::string, uint64_t> behind;
    uint64_t left = requests.at("queue")[request];
    const size_t end = first + requests.at("blocks")[request];
    const auto what = [&](size_t i) {
      return head["blockers"][blocks.at("blocker")[i]]["what"]
          .get<std::string>();
    };
    for (size_t i = first + 1; i < end; ++i) {
      const uint64_t ns = blocks.at("us")[i] * 1000 + blocks.at("ns")[i];
      behind[what(i)] += ns;
      left -= ns;
    }
    if (end > first) behind[what(first)] += left;
    return behind;
  }

  Json head;
  std::map<std::string, Table> tables;

 private:
  std::vector<uint64_t> Read(size_t rows, const Json& column) {
    std::vector<uint64_t> values(rows);
    for (int plane = 0; plane < column["planes"]; ++plane) {
      for (uint64_t& value : values) {
        value |= uint64_t{static_cast<uint8_t>(bytes_.at(next_++))}
                 << (8 * plane);
      }
    }
    if (column.value("delta", false)) {
      uint64_t sum = 0;
      for (uint64_t& value : values) value = sum += value;
    }
    return values;
  }
  const std::string& bytes_;
  size_t next_ = 0;
};

}  // namespace edgewise
