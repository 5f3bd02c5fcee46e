#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/page/loop/waiting_line.h"
#include "analysis/rows/row_context.h"
#include "analysis/rows/table_directory.h"

namespace edgewise {

// The table `loop`: what a thread's time went to, in equal stretches. As many
// as memory should hold: of longer recordings they are longer.
class LoopBins {
 public:
  static constexpr int64_t kLength = 100'000'000;  // ns
  static constexpr size_t kMost = size_t{1} << 16;

  // `scratch`: directories for what memory has no room for.
  LoopBins(TableDirectory* tables, std::vector<std::string> scratch);

  enum What : size_t { kBusy, kGc, kOff, kIdleOff, kSums };
  void Add(What what, int64_t from_ns, int64_t to_ns);
  void CountEvent(int64_t begin_ns) { ++BinAt(begin_ns).events; }
  void Waited(int64_t from_ns, int64_t to_ns) { line_.Waited(from_ns, to_ns); }
  // Writes the rows of a file, and forgets it.
  absl::Status EndFile(RowContext* context);

 private:
  struct Bin {
    int64_t ns[kSums] = {};
    int64_t events = 0;
    int64_t waiting_ns = 0;
    int64_t most_waiting = 0;
  };

  Bin& BinAt(int64_t ns);
  void Widen();
  void AddWaiting(int64_t from_ns, int64_t to_ns, uint64_t waiting);

  ParquetTable* const loop_;
  WaitingLine line_;
  int64_t length_ns_ = kLength;
  int64_t first_ = 0;  // the number of bins_[0], in lengths
  std::vector<Bin> bins_;
};

}  // namespace edgewise
