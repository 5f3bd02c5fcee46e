#include "boost/policy/tail_table.h"

#include <algorithm>
#include <cmath>

namespace edgewise {
namespace {

// The z that a standard Gaussian exceeds with the probability `above`.
double ZOf(double above) {
  double low = -10;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const bool beyond = std::erfc(middle / std::sqrt(2)) / 2 > above;
    (beyond ? low : high) = middle;
  }
  return low;
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

// In bins, each taken at its middle.
template <typename Distribution>
Moments MomentsOf(const Distribution& distribution) {
  Moments moments;
  double square = 0;
  for (size_t i = 0; i < distribution.size(); ++i) {
    const double middle = static_cast<double>(i) + 0.5;
    moments.mean += distribution[i] * middle;
    square += distribution[i] * middle * middle;
  }
  moments.variance = std::max(square - moments.mean * moments.mean, 0.0);
  return moments;
}

}  // namespace

TailTable::TailTable(double percentile)
    : percentile_(percentile), z_(ZOf((100 - percentile) / 100)) {}

void TailTable::Add(int64_t work_ns) {
  // The thread's time may have been found to be less than was told before.
  work_ns = std::max<int64_t>(work_ns, 0);
  while (work_ns >= width_ns_ * static_cast<int64_t>(kBins)) Widen();
  counts_[static_cast<size_t>(work_ns / width_ns_)] += 1;
  count_ += 1;
  if (until_next_ > 0) --until_next_;
}

void TailTable::Widen() {
  for (size_t i = 0; i < kBins / 2; ++i) {
    counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
  }
  std::fill(counts_.begin() + kBins / 2, counts_.end(), 0.0F);
  width_ns_ *= 2;
}

void TailTable::Step() {
  if (!making_) {
    if (until_next_ == 0) Begin();
    return;
  }
  const size_t column = cell_ / kRows;
  const size_t row = cell_ % kRows;
  if (row == 0 && column > 0) NextColumn(column);
  Cell(row, column);
  if (++cell_ < kRows * kColumns) return;
  making_ = false;
  ready_ = true;
  tables_ = next_;
}

void TailTable::Begin() {
  making_ = true;
  cell_ = 0;
  until_next_ = kLeast;
  made_width_ns_ = width_ns_;
  for (size_t i = 0; i < kBins; ++i) work_[i] = counts_[i] / count_;
  const Moments moments = MomentsOf(work_);
  const auto width = static_cast<double>(width_ns_);
  next_.mean_ns = moments.mean * width;
  next_.variance_ns2 = moments.variance * width * width;
  float below = 0;
  size_t bin = 0;
  for (size_t row = 0; row < kRows; ++row) {
    // The bin at which row / kRows of the requests have ended.
    const float wanted = static_cast<float>(row) / kRows;
    while (bin + 1 < kBins && below + work_[bin] <= wanted) {
      below += work_[bin++];
    }
    BeginRow(row, row == 0 ? 0 : bin);
  }
  for (float& count : counts_) count /= 2;
  count_ /= 2;
}

void TailTable::BeginRow(size_t row, size_t first_bin) {
  auto& left = left_[row];
  left.fill(0);
  float sum = 0;
  for (size_t i = first_bin; i < kBins; ++i) sum += work_[i];
  for (size_t i = first_bin; i < kBins && sum > 0; ++i) {
    left[i - first_bin] = work_[i] / sum;
  }
  const Moments moments = MomentsOf(left);
  const auto width = static_cast<double>(made_width_ns_);
  next_.rows[row].from_ns = static_cast<int64_t>(first_bin) * made_width_ns_;
  next_.rows[row].mean_ns = moments.mean * width;
  next_.rows[row].variance_ns2 = moments.variance * width * width;
}

// queued_ becomes the work of `column` requests, from one less.
void TailTable::NextColumn(size_t column) {
  if (column == 1) {
    std::copy(work_.begin(), work_.end(), queued_.begin());
    return;
  }
  std::array<float, kBins * kColumns> sum{};
  const size_t length = (column - 1) * kBins;
  for (size_t i = 0; i < kBins; ++i) {
    for (size_t j = 0; j < length; ++j) sum[i + j] += work_[i] * queued_[j];
  }
  queued_ = sum;
}

void TailTable::Cell(size_t row, size_t column) {
  const auto& left = left_[row];
  std::array<float, kBins*(kColumns + 1)> sum{};
  if (column == 0) std::copy(left.begin(), left.end(), sum.begin());
  for (size_t i = 0; i < kBins && column > 0; ++i) {
    for (size_t j = 0; j < column * kBins; ++j) {
      sum[i + j] += left[i] * queued_[j];
    }
  }
  const auto above = static_cast<float>((100 - percentile_) / 100);
  float tail = 0;
  size_t bin = (column + 1) * kBins;
  while (bin > 0 && tail + sum[bin - 1] <= above) tail += sum[--bin];
  next_.rows[row].tail_ns[column] = static_cast<int64_t>(bin) * made_width_ns_;
}

int64_t TailTable::TailNs(size_t place, int64_t elapsed_ns) const {
  size_t row = kRows - 1;
  while (row > 0 && tables_.rows[row].from_ns > elapsed_ns) --row;
  const Row& found = tables_.rows[row];
  if (place < kColumns) return found.tail_ns[place];
  const auto queued = static_cast<double>(place);
  const double mean_ns = found.mean_ns + queued * tables_.mean_ns;
  const double variance_ns2 =
      found.variance_ns2 + queued * tables_.variance_ns2;
  return static_cast<int64_t>(mean_ns + z_ * std::sqrt(variance_ns2));
}

}  // namespace edgewise
