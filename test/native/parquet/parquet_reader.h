#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Reads Parquet files as the format's documents say, as far as edgewise writes
// them. It shares nothing with what writes them.

namespace edgewise {

// A structure of Thrift's compact protocol: its fields by number.
struct ThriftValue;
using ThriftFields = std::map<int, ThriftValue>;
struct ThriftValue {
  std::variant<int64_t, std::string, std::vector<ThriftValue>, ThriftFields> is;
  int64_t whole() const { return std::get<int64_t>(is); }
  const std::string& text() const { return std::get<std::string>(is); }
  const std::vector<ThriftValue>& list() const {
    return std::get<std::vector<ThriftValue>>(is);
  }
  const ThriftValue& operator[](int field) const {
    return std::get<ThriftFields>(is).at(field);
  }
  bool Has(int field) const { return std::get<ThriftFields>(is).count(field); }
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  bool AtEnd() const { return at_ >= bytes_.size(); }
  uint8_t Byte() { return static_cast<uint8_t>(bytes_.at(at_++)); }
  std::string_view Take(size_t size) {
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  uint64_t Little(size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= uint64_t{Byte()} << (8 * i);
    return value;
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = Byte();
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }
  int64_t ZigZag() {
    const uint64_t value = Varint();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

  ThriftValue Structure() {
    ThriftFields fields;
    int field = 0;
    while (const uint8_t header = Byte()) {
      field = header >> 4 ? field + (header >> 4) : static_cast<int>(ZigZag());
      fields[field] = Value(header & 15);
    }
    return {fields};
  }

 private:
  ThriftValue Value(int type) {
    if (type == 1 || type == 2) return {int64_t{type == 1}};
    if (type == 5 || type == 6) return {ZigZag()};
    if (type == 8) return {std::string(Take(Varint()))};
    if (type == 12) return Structure();
    EXPECT_EQ(type, 9) << "a list is the only other one that is used";
    const uint8_t header = Byte();
    const uint64_t size = header >> 4 == 15 ? Varint() : header >> 4;
    std::vector<ThriftValue> list;
    for (uint64_t i = 0; i < size; ++i) list.push_back(Value(header & 15));
    return {list};
  }

  std::string_view bytes_;
  size_t at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  uint64_t Next(int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; ++i, ++at_) {
      const uint64_t bit =
          static_cast<uint8_t>(bytes_.at(at_ / 8)) >> (at_ % 8) & 1;
      value |= bit << i;
    }
    return value;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;  // bits
};

struct ParquetFile {
  using Cell = std::variant<std::monostate, int64_t, std::string>;
  std::vector<std::string> names;
  std::vector<std::map<std::string, Cell>> rows;
  std::vector<size_t> groups;  // rows of each
  std::map<std::string, std::string> about;

  static std::vector<uint64_t> Hybrid(ByteReader* reader, int width,
                                      size_t count) {
    std::vector<uint64_t> values;
    while (values.size() < count) {
      const uint64_t header = reader->Varint();
      if (header & 1) {
        const size_t groups = header >> 1;
        BitReader bits(reader->Take(groups * static_cast<size_t>(width)));
        for (size_t i = 0; i < groups * 8; ++i) {
          values.push_back(bits.Next(width));
        }
      } else {
        const uint64_t value =
            reader->Little(static_cast<size_t>(width + 7) / 8);
        values.insert(values.end(), header >> 1, value);
      }
    }
    values.resize(count);
    return values;
  }

  static std::vector<int64_t> Deltas(ByteReader* reader) {
    const uint64_t block = reader->Varint();
    const uint64_t minis = reader->Varint();
    const uint64_t total = reader->Varint();
    std::vector<int64_t> values = {reader->ZigZag()};
    while (values.size() < total) {
      const int64_t least = reader->ZigZag();
      const std::string_view widths = reader->Take(minis);
      for (const char width : widths) {
        BitReader bits(
            reader->Take(block / minis / 8 * static_cast<size_t>(width)));
        for (uint64_t i = 0; i < block / minis && values.size() < total; ++i) {
          const uint64_t next = static_cast<uint64_t>(values.back()) +
                                static_cast<uint64_t>(least) + bits.Next(width);
          values.push_back(static_cast<int64_t>(next));
        }
      }
    }
    values.resize(total);
    return values;
  }

  static std::vector<Cell> Column(std::string_view file,
                                  const ThriftValue& meta, bool optional) {
    const int64_t type = meta[1].whole();
    std::vector<std::string> dictionary;
    if (meta.Has(11)) {
      ByteReader reader(file.substr(static_cast<size_t>(meta[11].whole())));
      const ThriftValue header = reader.Structure();
      for (int64_t i = 0; i < header[7][1].whole(); ++i) {
        dictionary.emplace_back(reader.Take(reader.Little(4)));
      }
    }
    ByteReader pages(file.substr(static_cast<size_t>(meta[9].whole())));
    const ThriftValue header = pages.Structure();
    const auto rows = static_cast<size_t>(header[5][1].whole());
    EXPECT_EQ(static_cast<int64_t>(rows), meta[5].whole());
    ByteReader body(pages.Take(static_cast<size_t>(header[2].whole())));
    std::vector<uint64_t> there(rows, 1);
    if (optional) {
      ByteReader levels(body.Take(body.Little(4)));
      there = Hybrid(&levels, 1, rows);
    }
    size_t count = 0;
    for (const uint64_t one : there) count += one;
    EXPECT_EQ(static_cast<int64_t>(rows - count), meta[12][3].whole());
    const int64_t encoding = header[5][2].whole();
    std::vector<Cell> values;
    if (count == 0) {
      EXPECT_TRUE(body.AtEnd());
    } else if (type == 2) {
      EXPECT_EQ(encoding, 5);
      for (const int64_t value : Deltas(&body)) values.push_back(value);
    } else if (type == 6) {
      EXPECT_EQ(encoding, 8);
      const int width = body.Byte();
      for (const uint64_t at : Hybrid(&body, width, count)) {
        values.push_back(dictionary.at(at));
      }
    } else {
      EXPECT_EQ(encoding, 0);
      BitReader bits(body.Take((count + 7) / 8));
      for (size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<int64_t>(bits.Next(1)));
      }
    }
    std::vector<Cell> cells;
    size_t next = 0;
    for (const uint64_t one : there) {
      cells.push_back(one ? values.at(next++) : Cell{});
    }
    return cells;
  }

  static ParquetFile Read(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string file(std::istreambuf_iterator<char>(stream), {});
    EXPECT_EQ(file.substr(0, 4), "PAR1");
    EXPECT_EQ(file.substr(file.size() - 4), "PAR1");
    const size_t size = ByteReader(file.substr(file.size() - 8)).Little(4);
    ByteReader reader(std::string_view(file).substr(file.size() - 8 - size));
    const ThriftValue footer = reader.Structure();
    EXPECT_EQ(reader.at(), size);
    ParquetFile table;
    const auto& schema = footer[2].list();
    EXPECT_EQ(schema[0][5].whole(), static_cast<int64_t>(schema.size()) - 1);
    for (size_t i = 1; i < schema.size(); ++i) {
      table.names.push_back(schema[i][4].text());
    }
    for (const ThriftValue& pair : footer[5].list()) {
      table.about[pair[1].text()] = pair[2].text();
    }
    for (const ThriftValue& group : footer[4].list()) {
      const auto rows = static_cast<size_t>(group[3].whole());
      const size_t first = table.rows.size();
      table.groups.push_back(rows);
      table.rows.resize(first + rows);
      for (size_t i = 0; i < table.names.size(); ++i) {
        const ThriftValue& meta = group[1].list()[i][3];
        EXPECT_EQ(meta[3].list()[0].text(), table.names[i]);
        const bool optional = schema[i + 1][3].whole() == 1;
        const std::vector<Cell> cells = Column(file, meta, optional);
        EXPECT_EQ(cells.size(), rows);
        std::optional<int64_t> least;
        std::optional<int64_t> most;
        for (size_t row = 0; row < rows; ++row) {
          table.rows[first + row][table.names[i]] = cells[row];
          if (const auto* const whole = std::get_if<int64_t>(&cells[row])) {
            least = std::min(least.value_or(*whole), *whole);
            most = std::max(most.value_or(*whole), *whole);
          }
        }
        if (meta[12].Has(5)) {
          EXPECT_EQ(
              static_cast<int64_t>(ByteReader(meta[12][5].text()).Little(8)),
              most);
          EXPECT_EQ(
              static_cast<int64_t>(ByteReader(meta[12][6].text()).Little(8)),
              least);
        }
      }
    }
    EXPECT_EQ(static_cast<int64_t>(table.rows.size()), footer[3].whole());
    return table;
  }
};

}  // namespace edgewise
