#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "parquet/parquet_table.h"
#include "parquet/thrift.h"

namespace edgewise {

// The numbers that Parquet's definition (parquet.thrift) gives to what is used.
struct ParquetFormat {
  enum Type { kBoolean = 0, kInt64 = 2, kByteArray = 6 };
  enum Encoding { kPlain = 0, kRle = 3, kDelta = 5, kDictionary = 8 };
  enum Repetition { kRequired = 0, kOptional = 1 };
  static Type TypeOf(const ParquetColumn& column);
};

// The values of one column in one row group.
class ColumnChunk {
 public:
  ColumnChunk(const ParquetColumn& column, std::span<const int64_t> values);

  // Its pages.
  const std::string& bytes() const { return bytes_; }
  // What the footer tells of it, where its pages begin at `offset`: a
  // structure's fields.
  void Describe(uint64_t offset, CompactWriter* footer) const;

 private:
  void AddPages(std::span<const int64_t> present, const std::string& levels);
  std::string Indices(std::span<const int64_t> numbers);
  void AddPage(int encoding, size_t values, const std::string& body);
  void AddDictionary(size_t values, const std::string& body);

  const ParquetColumn& column_;
  const size_t rows_;
  std::string bytes_;
  int encoding_ = ParquetFormat::kPlain;
  size_t nulls_ = 0;
  int64_t least_ = 0;  // of whole numbers, where any is there
  int64_t most_ = 0;
  uint64_t dictionary_bytes_ = 0;  // 0: it has none
};

}  // namespace edgewise
