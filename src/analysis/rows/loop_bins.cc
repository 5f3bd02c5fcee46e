#include "analysis/rows/loop_bins.h"

#include <algorithm>
#include <array>
#include <utility>

namespace edgewise {

LoopBins::LoopBins(TableDirectory* tables, std::vector<std::string> scratch)
    : loop_(tables->Add(
          "loop",
          {WholeColumn("trace"), WholeColumn("start_ns"), WholeColumn("dur_ns"),
           WholeColumn("unix_ns"), WholeColumn("events"),
           WholeColumn("busy_ns"), WholeColumn("gc_ns"),
           Perhaps(WholeColumn("not_running_ns")),
           Perhaps(WholeColumn("idle_not_running_ns")),
           WholeColumn("waiting_ns"), WholeColumn("most_waiting")},
          /*sorted_by=*/1)),
      line_(std::move(scratch)) {}

LoopBins::Bin& LoopBins::BinAt(int64_t ns) {
  while (true) {
    const int64_t number = ns / length_ns_;
    if (bins_.empty()) first_ = number;
    const int64_t first = std::min(first_, number);
    const int64_t last =
        std::max(first_ + static_cast<int64_t>(bins_.size()), number + 1);
    if (last - first > static_cast<int64_t>(kMost)) {
      Widen();
      continue;
    }
    bins_.insert(bins_.begin(), static_cast<size_t>(first_ - first), Bin{});
    first_ = first;
    if (static_cast<size_t>(last - first) > bins_.size()) {
      bins_.resize(static_cast<size_t>(last - first));
    }
    return bins_[static_cast<size_t>(number - first)];
  }
}

void LoopBins::Widen() {
  std::vector<Bin> wider;
  const int64_t first = first_ / 2;
  for (size_t i = 0; i < bins_.size(); ++i) {
    const auto place =
        static_cast<size_t>((first_ + static_cast<int64_t>(i)) / 2 - first);
    wider.resize(place + 1);
    Bin& sum = wider[place];
    for (size_t what = 0; what < kSums; ++what) {
      sum.ns[what] += bins_[i].ns[what];
    }
    sum.events += bins_[i].events;
    sum.waiting_ns += bins_[i].waiting_ns;
    sum.most_waiting = std::max(sum.most_waiting, bins_[i].most_waiting);
  }
  bins_.swap(wider);
  first_ = first;
  length_ns_ *= 2;
}

void LoopBins::Add(What what, int64_t from_ns, int64_t to_ns) {
  while (from_ns < to_ns) {
    Bin& bin = BinAt(from_ns);
    const int64_t end_ns =
        std::min(to_ns, (from_ns / length_ns_ + 1) * length_ns_);
    bin.ns[what] += end_ns - from_ns;
    from_ns = end_ns;
  }
}

void LoopBins::AddWaiting(int64_t from_ns, int64_t to_ns, uint64_t waiting) {
  const auto count = static_cast<int64_t>(waiting);
  while (count > 0 && from_ns < to_ns) {
    Bin& bin = BinAt(from_ns);
    const int64_t end_ns =
        std::min(to_ns, (from_ns / length_ns_ + 1) * length_ns_);
    bin.waiting_ns += count * (end_ns - from_ns);
    bin.most_waiting = std::max(bin.most_waiting, count);
    from_ns = end_ns;
  }
}

absl::Status LoopBins::EndFile(RowContext* context) {
  int64_t since_ns = 0;
  uint64_t waiting = 0;
  absl::Status status = line_.Finish([](uint32_t, uint64_t) {},
                                     [&](int64_t ns, uint64_t changed) {
                                       AddWaiting(since_ns, ns, waiting);
                                       since_ns = ns;
                                       waiting = changed;
                                     });
  const StreamCounts& counts = context->stream().counts();
  const bool off_cpu = context->off_cpu();
  for (size_t i = 0; i < bins_.size(); ++i) {
    const Bin& bin = bins_[i];
    const int64_t begin_ns = (first_ + static_cast<int64_t>(i)) * length_ns_;
    // The first and the last are of the recording only.
    const int64_t from_ns =
        std::max(begin_ns, std::min(counts.first_ns, begin_ns + length_ns_));
    const int64_t to_ns =
        std::clamp(counts.last_ns, from_ns, begin_ns + length_ns_);
    loop_->Add(std::array<int64_t, 11>{
        context->key(), from_ns, to_ns - from_ns,
        from_ns + counts.unix_offset_ns, bin.events, bin.ns[kBusy], bin.ns[kGc],
        off_cpu ? bin.ns[kOff] : ParquetTable::kNone,
        off_cpu ? bin.ns[kIdleOff] : ParquetTable::kNone, bin.waiting_ns,
        bin.most_waiting});
  }
  bins_.clear();
  length_ns_ = kLength;
  return status;
}

}  // namespace edgewise
