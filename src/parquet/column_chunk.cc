#include "parquet/column_chunk.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "parquet/encoding.h"

namespace edgewise {
namespace {

using Kind = ParquetColumn::Kind;

constexpr int kDataPage = 0;
constexpr int kDictionaryPage = 2;

std::string EightBytes(int64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<char>(static_cast<uint64_t>(value) >> shift));
  }
  return bytes;
}

// Which values are there, as pages tell it: with its length before it.
std::string LevelsOf(std::span<const int64_t> values) {
  std::vector<uint32_t> there(values.size());
  std::transform(values.begin(), values.end(), there.begin(),
                 [](int64_t value) { return value != ParquetTable::kNone; });
  std::string levels;
  PutHybrid(there, 1, &levels);
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>(levels.size() >> shift));
  }
  return bytes + levels;
}

}  // namespace

ParquetFormat::Type ParquetFormat::TypeOf(const ParquetColumn& column) {
  return column.kind == Kind::kWhole  ? kInt64
         : column.kind == Kind::kName ? kByteArray
                                      : kBoolean;
}

ColumnChunk::ColumnChunk(const ParquetColumn& column,
                         std::span<const int64_t> values)
    : column_(column), rows_(values.size()) {
  if (!column.optional) {
    AddPages(values, "");
    return;
  }
  std::vector<int64_t> present;
  std::copy_if(values.begin(), values.end(), std::back_inserter(present),
               [](int64_t value) { return value != ParquetTable::kNone; });
  nulls_ = values.size() - present.size();
  AddPages(present, LevelsOf(values));
}

void ColumnChunk::AddPages(std::span<const int64_t> present,
                           const std::string& levels) {
  std::string body = levels;
  if (present.empty()) {
    encoding_ = ParquetFormat::kPlain;
  } else if (column_.kind == Kind::kWhole) {
    encoding_ = ParquetFormat::kDelta;
    const auto [least, most] =
        std::minmax_element(present.begin(), present.end());
    least_ = *least;
    most_ = *most;
    PutDeltas(present, &body);
  } else if (column_.kind == Kind::kName) {
    encoding_ = ParquetFormat::kDictionary;
    body += Indices(present);
  } else {
    PutFlags(present, &body);
  }
  AddPage(encoding_, rows_, body);
}

// Adds the dictionary, and returns the place of each text in it.
std::string ColumnChunk::Indices(std::span<const int64_t> numbers) {
  constexpr uint32_t kNew = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> place;  // by number
  std::vector<uint32_t> indices;
  indices.reserve(numbers.size());
  std::string dictionary;
  uint32_t count = 0;
  for (const int64_t number : numbers) {
    const auto at = static_cast<size_t>(number);
    if (at >= place.size()) place.resize(at + 1, kNew);
    if (place[at] == kNew) {
      place[at] = count++;
      PutText(column_.text(static_cast<uint32_t>(number)), &dictionary);
    }
    indices.push_back(place[at]);
  }
  AddDictionary(count, dictionary);
  const int width = BitWidth(count - 1);
  std::string body(1, static_cast<char>(width));
  PutHybrid(indices, width, &body);
  return body;
}

void ColumnChunk::AddPage(int encoding, size_t values,
                          const std::string& body) {
  CompactWriter header(&bytes_);
  header.BeginItem();
  header.Whole32(1, kDataPage);
  header.Whole32(2, static_cast<int32_t>(body.size()));
  header.Whole32(3, static_cast<int32_t>(body.size()));
  header.BeginStruct(5);
  header.Whole32(1, static_cast<int32_t>(values));
  header.Whole32(2, encoding);
  header.Whole32(3, ParquetFormat::kRle);  // which values are there
  header.Whole32(4, ParquetFormat::kRle);
  header.End();
  header.End();
  bytes_ += body;
}

void ColumnChunk::AddDictionary(size_t values, const std::string& body) {
  CompactWriter header(&bytes_);
  header.BeginItem();
  header.Whole32(1, kDictionaryPage);
  header.Whole32(2, static_cast<int32_t>(body.size()));
  header.Whole32(3, static_cast<int32_t>(body.size()));
  header.BeginStruct(7);
  header.Whole32(1, static_cast<int32_t>(values));
  header.Whole32(2, ParquetFormat::kPlain);
  header.End();
  header.End();
  bytes_ += body;
  dictionary_bytes_ = bytes_.size();
}

void ColumnChunk::Describe(uint64_t offset, CompactWriter* footer) const {
  const auto size = static_cast<int64_t>(bytes_.size());
  footer->Whole64(2, static_cast<int64_t>(offset));
  footer->BeginStruct(3);
  footer->Whole32(1, ParquetFormat::TypeOf(column_));
  footer->BeginList(2, CompactWriter::kWhole32, 3);
  footer->WholeItem(encoding_);
  footer->WholeItem(ParquetFormat::kPlain);
  footer->WholeItem(ParquetFormat::kRle);
  footer->BeginList(3, CompactWriter::kBinary, 1);
  footer->BinaryItem(column_.name);
  footer->Whole32(4, 0);  // not compressed
  footer->Whole64(5, static_cast<int64_t>(rows_));
  footer->Whole64(6, size);
  footer->Whole64(7, size);
  footer->Whole64(9, static_cast<int64_t>(offset + dictionary_bytes_));
  if (dictionary_bytes_ > 0) footer->Whole64(11, static_cast<int64_t>(offset));
  footer->BeginStruct(12);
  footer->Whole64(3, static_cast<int64_t>(nulls_));
  if (column_.kind == Kind::kWhole && nulls_ < rows_) {
    footer->Binary(5, EightBytes(most_));
    footer->Binary(6, EightBytes(least_));
  }
  footer->End();
  footer->End();
}

}  // namespace edgewise
