#include "parquet/parquet_table.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "parquet/column_chunk.h"
#include "parquet/thrift.h"

namespace edgewise {
namespace {

constexpr char kMagic[] = "PAR1";
// So many columns are taken at once: those of a line of the cache.
constexpr size_t kTile = 8;

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
    : plan_(std::move(plan)), fd_(fd) {
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

// The rows of the group in order of a column.
std::vector<uint32_t> ParquetTable::Order() const {
  const size_t width = plan_.columns.size();
  std::vector<std::pair<int64_t, uint32_t>> keys(open_rows_);
  for (uint32_t row = 0; row < open_rows_; ++row) {
    keys[row] = {group_[row * width + plan_.sorted_by], row};
  }
  if (!std::is_sorted(keys.begin(), keys.end())) {
    std::sort(keys.begin(), keys.end());
  }
  std::vector<uint32_t> order(open_rows_);
  std::transform(keys.begin(), keys.end(), order.begin(),
                 [](const auto& key) { return key.second; });
  return order;
}

void ParquetTable::WriteGroup() {
  if (open_rows_ == 0) return;
  const size_t rows = open_rows_;
  const size_t width = plan_.columns.size();
  const std::vector<uint32_t> order = Order();
  const uint64_t begin = written_;
  CompactWriter group(&groups_);
  group.BeginItem();
  group.BeginList(1, CompactWriter::kStruct, width);
  columns_.resize(kTile * rows);
  for (size_t first = 0; first < width; first += kTile) {
    const size_t count = std::min(kTile, width - first);
    for (size_t row = 0; row < rows; ++row) {
      const int64_t* const from = &group_[order[row] * width + first];
      for (size_t i = 0; i < count; ++i) columns_[i * rows + row] = from[i];
    }
    for (size_t i = 0; i < count; ++i) {
      const ColumnChunk chunk(
          plan_.columns[first + i],
          std::span<const int64_t>(columns_).subspan(i * rows, rows));
      group.BeginItem();
      chunk.Describe(written_, &group);
      group.End();
      Write(chunk.bytes());
    }
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
  group_.clear();
  open_rows_ = 0;
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
