#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "analysis/page/store/scratch_file.h"

namespace edgewise {

// Rows in the order of their order(), however many there are: memory holds
// `most` of them, a file the rest, in runs that are merged when they are read.
template <typename Row>
class SortedRows {
  static_assert(std::is_trivially_copyable_v<Row>);

 public:
  static constexpr size_t kMost = size_t{1} << 17;

  class Reader;

  // In the first of `directories` that can hold a file, once one is needed.
  explicit SortedRows(std::span<const std::string> directories,
                      size_t most = kMost)
      : directories_(directories.begin(), directories.end()), most_(most) {}

  void Add(const Row& row) {
    rows_.push_back(row);
    ++count_;
    if (rows_.size() >= most_) Spill();
  }
  uint64_t count() const { return count_; }

  // No row is added any more. Unavailable: no file could hold them.
  absl::Status Finish() {
    if (runs_.empty() && status_.ok()) {
      Sort();
      return absl::OkStatus();
    }
    Spill();
    return status_.ok() ? file_->Flush() : status_;
  }

 private:
  struct Run {
    uint64_t at;  // in the file
    uint64_t rows;
  };

  void Sort() {
    std::sort(rows_.begin(), rows_.end(), [](const Row& one, const Row& other) {
      return one.order() < other.order();
    });
  }

  void Spill() {
    if (file_ == nullptr && status_.ok()) {
      auto file = ScratchFile::Create(directories_);
      status_ = file.status();
      if (file.ok()) file_ = *std::move(file);
    }
    if (status_.ok() && !rows_.empty()) {
      Sort();
      runs_.push_back({file_->Append(std::string_view(
                           reinterpret_cast<const char*>(rows_.data()),
                           rows_.size() * sizeof(Row))),
                       rows_.size()});
    }
    rows_.clear();
  }

  const std::vector<std::string> directories_;
  const size_t most_;
  std::vector<Row> rows_;
  uint64_t count_ = 0;
  std::unique_ptr<ScratchFile> file_;
  std::vector<Run> runs_;
  absl::Status status_;
};

// Reads all rows in order, once they are finished; any number of readers may.
template <typename Row>
class SortedRows<Row>::Reader {
 public:
  // `rows` outlives it.
  explicit Reader(const SortedRows* rows) : rows_(rows) {
    if (rows->runs_.empty()) {
      cursors_.resize(1);
      cursors_[0].next = rows->rows_.data();
      cursors_[0].end = rows->rows_.data() + rows->rows_.size();
      if (!rows->rows_.empty()) queue_.push(&cursors_[0]);
      return;
    }
    cursors_.resize(rows->runs_.size());
    for (size_t i = 0; i < cursors_.size(); ++i) {
      cursors_[i].left = rows->runs_[i];
      if (Fill(&cursors_[i])) queue_.push(&cursors_[i]);
    }
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Null at the end, or where the file could not be read.
  const Row* row() const {
    return queue_.empty() ? nullptr : queue_.top()->next;
  }
  void Next() {
    Cursor* const cursor = queue_.top();
    queue_.pop();
    ++cursor->next;
    if (Fill(cursor)) queue_.push(cursor);
  }
  const absl::Status& status() const { return status_; }

 private:
  struct Cursor {
    Run left{};  // of a run in the file
    std::vector<Row> held;
    const Row* next = nullptr;
    const Row* end = nullptr;
  };
  struct IsLater {
    bool operator()(const Cursor* one, const Cursor* other) const {
      return other->next->order() < one->next->order();
    }
  };

  // False at its end.
  bool Fill(Cursor* cursor) {
    if (cursor->next != cursor->end) return true;
    const size_t take = std::min<uint64_t>(
        cursor->left.rows, std::max<size_t>(1, rows_->most_ / cursors_.size()));
    if (take == 0 || !status_.ok()) return false;
    cursor->held.resize(take);
    status_.Update(
        rows_->file_->Read(cursor->left.at, take * sizeof(Row),
                           reinterpret_cast<char*>(cursor->held.data())));
    cursor->left.at += take * sizeof(Row);
    cursor->left.rows -= take;
    cursor->next = cursor->held.data();
    cursor->end = cursor->next + take;
    return status_.ok();
  }

  const SortedRows* rows_;
  std::vector<Cursor> cursors_;
  std::priority_queue<Cursor*, std::vector<Cursor*>, IsLater> queue_;
  absl::Status status_;
};

}  // namespace edgewise
