#pragma once

#include <atomic>

#include "absl/status/status.h"

namespace edgewise {

// How far an analysis is, and the wish that it end early: between the thread
// that runs it and others.
class AnalysisProgress {
 public:
  // Of the whole work, 0 to 1.
  double Share() const { return share_.load(std::memory_order_relaxed); }
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Cancelled, once it is.
  absl::Status status() const {
    return cancelled() ? absl::CancelledError("the analysis was cancelled")
                       : absl::OkStatus();
  }

  // By what analyses several: the next one is this part of the work.
  void Within(double from, double to) {
    from_ = from;
    to_ = to;
  }
  // By the analysis.
  void Reach(double share) {
    share_.store(from_ + share * (to_ - from_), std::memory_order_relaxed);
  }

 private:
  std::atomic<double> share_ = 0;
  std::atomic<bool> cancelled_ = false;
  double from_ = 0;
  double to_ = 1;
};

}  // namespace edgewise
