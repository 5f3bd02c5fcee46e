#include "parquet/parquet_table.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "parquet/column_chunk.h"
#include "parquet/thrift.h"

namespace edgewise {
namespace {

constexpr char kMagic[] = "PAR1";

absl::Status CannotWrite(const std::string& path, int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(error)));
}

void DescribeColumn(const ParquetColumn& column, CompactWriter* footer) {
  footer->BeginItem();
  footer->Whole32(1, ParquetFormat::TypeOf(column));
  footer->Whole32(
      3, column.optional ? ParquetFormat::kOptional : ParquetFormat::kRequired);
  footer->Binary(4, column.name);
  if (column.kind == ParquetColumn::Kind::kName) {
    footer->Whole32(6, 0);  // UTF-8, as older readers are told,
    footer->BeginStruct(10);
    footer->BeginStruct(1);  // ... and newer ones
    footer->End();
    footer->End();
  }
  footer->End();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ParquetTable>> ParquetTable::Create(Plan plan) {
  const int fd =
      open(plan.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return CannotWrite(plan.path, errno);
  return std::unique_ptr<ParquetTable>(new ParquetTable(std::move(plan), fd));
}

ParquetTable::ParquetTable(Plan plan, int fd)
    : plan_(std::move(plan)), fd_(fd), columns_(plan_.columns.size()) {
  Write(kMagic);
}

ParquetTable::~ParquetTable() {
  if (fd_ >= 0) close(fd_);
}

void ParquetTable::Write(const std::string& bytes) {
  size_t done = 0;
  while (status_.ok() && done < bytes.size()) {
    const ssize_t count = write(fd_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      status_ = CannotWrite(plan_.path, errno);
      break;
    }
    done += static_cast<size_t>(count);
  }
  written_ += bytes.size();
}

void ParquetTable::Sort() {
  const std::vector<int64_t>& key = columns_[plan_.sorted_by];
  if (std::is_sorted(key.begin(), key.end())) return;
  std::vector<uint32_t> order(key.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return key[a] < key[b]; });
  for (std::vector<int64_t>& column : columns_) {
    sorted_.clear();
    for (const uint32_t row : order) sorted_.push_back(column[row]);
    column.swap(sorted_);
  }
}

void ParquetTable::WriteGroup() {
  const size_t rows = columns_[0].size();
  if (rows == 0) return;
  Sort();
  const uint64_t begin = written_;
  CompactWriter group(&groups_);
  group.BeginItem();
  group.BeginList(1, CompactWriter::kStruct, columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const ColumnChunk chunk(plan_.columns[i], columns_[i]);
    group.BeginItem();
    chunk.Describe(written_, &group);
    group.End();
    Write(chunk.bytes());
    columns_[i].clear();
  }
  group.Whole64(2, static_cast<int64_t>(written_ - begin));
  group.Whole64(3, static_cast<int64_t>(rows));
  group.BeginList(4, CompactWriter::kStruct, 1);
  group.BeginItem();
  group.Whole32(1, static_cast<int32_t>(plan_.sorted_by));
  group.Flag(2, false);  // descending
  group.Flag(3, false);  // nulls first
  group.End();
  group.Whole64(5, static_cast<int64_t>(begin));
  group.Whole64(6, static_cast<int64_t>(written_ - begin));
  group.End();
  ++group_count_;
}

std::string ParquetTable::Footer() const {
  std::string bytes;
  CompactWriter footer(&bytes);
  footer.BeginItem();
  footer.Whole32(1, 2);  // of the format
  footer.BeginList(2, CompactWriter::kStruct, 1 + plan_.columns.size());
  footer.BeginItem();
  footer.Binary(4, "schema");
  footer.Whole32(5, static_cast<int32_t>(plan_.columns.size()));
  footer.End();
  for (const ParquetColumn& column : plan_.columns) {
    DescribeColumn(column, &footer);
  }
  footer.Whole64(3, static_cast<int64_t>(rows_));
  footer.BeginList(4, CompactWriter::kStruct, group_count_);
  bytes += groups_;
  footer.BeginList(5, CompactWriter::kStruct, plan_.about.size());
  for (const auto& [key, value] : plan_.about) {
    footer.BeginItem();
    footer.Binary(1, key);
    footer.Binary(2, value);
    footer.End();
  }
  footer.Binary(6, "edgewise");
  // Least and most are by the order of their type.
  footer.BeginList(7, CompactWriter::kStruct, plan_.columns.size());
  for (size_t i = 0; i < plan_.columns.size(); ++i) {
    footer.BeginItem();
    footer.BeginStruct(1);
    footer.End();
    footer.End();
  }
  footer.End();
  const auto size = static_cast<uint32_t>(bytes.size());
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>(size >> shift));
  }
  return bytes + kMagic;
}

absl::Status ParquetTable::Close() {
  WriteGroup();
  Write(Footer());
  if (close(fd_) != 0 && status_.ok()) status_ = CannotWrite(plan_.path, errno);
  fd_ = -1;
  return status_;
}

}  // namespace edgewise
