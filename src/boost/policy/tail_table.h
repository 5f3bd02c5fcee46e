#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace edgewise {

// Rubik's target tail tables (Kasture et al., MICRO'15, section 4): for each
// place in a queue served in order, the percentile of the work until that
// request has ended, given what the running one has had.
//
// The distribution of the work of a request is a histogram of kBins bins of one
// width. A row is for an eighth of the running request's progress through that
// distribution: its remaining work is the distribution above, moved down. A
// column adds the whole work of one more request, a convolution; from kColumns
// on the sum is taken to be Gaussian, as in Rubik, which does so from 16 on.
//
// Tables are made anew from the histogram as it was then, one cell at each
// Step() (at most kBins * kBins * kColumns multiplications), and published
// whole. Half of the histogram is forgotten at each new one.
class TailTable {
 public:
  static constexpr size_t kBins = 64;
  static constexpr size_t kRows = 8;
  static constexpr size_t kColumns = 8;
  // Requests seen before the first table is made, and between two.
  static constexpr uint32_t kLeast = 256;

  explicit TailTable(double percentile);

  // The whole work of a request.
  void Add(int64_t work_ns);

  // Goes on making the next table.
  void Step();

  bool ready() const { return ready_; }

  // Work until the request at `place` (0: the running one, which has had
  // `elapsed_ns`) has ended, exceeded by 100 - percentile percent.
  int64_t TailNs(size_t place, int64_t elapsed_ns) const;

 private:
  struct Row {
    int64_t from_ns = 0;  // progress at which it begins
    double mean_ns = 0;   // of the remaining work
    double variance_ns2 = 0;
    std::array<int64_t, kColumns> tail_ns{};
  };
  struct Tables {
    std::array<Row, kRows> rows;
    double mean_ns = 0;
    double variance_ns2 = 0;
  };

  void Widen();
  void Begin();
  void BeginRow(size_t row, size_t first_bin);
  void Cell(size_t row, size_t column);
  void NextColumn(size_t column);

  const double percentile_;
  const double z_;  // standard deviations above the mean, Gaussian
  std::array<float, kBins> counts_{};
  float count_ = 0;
  int64_t width_ns_ = 1024;
  uint32_t until_next_ = kLeast;

  // The table in the making.
  bool making_ = false;
  size_t cell_ = 0;
  int64_t made_width_ns_ = 0;
  std::array<float, kBins> work_{};               // distribution of one request
  std::array<float, kBins * kColumns> queued_{};  // of `column` of them
  std::array<std::array<float, kBins>, kRows> left_{};  // of the running one
  Tables next_;

  bool ready_ = false;
  Tables tables_;
};

}  // namespace edgewise
