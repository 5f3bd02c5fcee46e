#include "boost/policy/gc_boost.h"

#include <algorithm>
#include <bit>

#include "boost/policy/work_clock.h"

namespace edgewise {

GcBoost::GcBoost(const PolicyConfig& config)
    : transition_ns_(config.transition_ns),
      worth_ns_(2 * config.transition_ns),
      speed_(SpeedsOf(config.frequencies)[static_cast<size_t>(Level::kHigh)]) {}

void GcBoost::On(const Signal& signal) {
  switch (signal.kind) {
    case SignalKind::kGcBegin:
      if (depth_++ == 0) Begin(signal);
      return;
    case SignalKind::kGcEnd:
      if (depth_ != 0 && --depth_ == 0) End(signal.now_ns);
      return;
    default:
      if (signal.now_ns >= deadline_ns_) BoostAt(signal.now_ns);
      return;
  }
}

void GcBoost::Begin(const Signal& signal) {
  kind_ = std::min<size_t>(std::countr_zero(signal.value), kKinds - 1);
  begin_ns_ = signal.now_ns;
  const Duration& expected = duration_ns_[kind_];
  if (expected.count() == 0 ||
      expected.mean() >= static_cast<double>(worth_ns_)) {
    BoostAt(signal.now_ns);
  } else {
    deadline_ns_ = signal.now_ns + worth_ns_;
  }
}

void GcBoost::End(int64_t now_ns) {
  // As long as it would have taken at the low level: else a boosted kind would
  // look too short to boost, and not be boosted the next time.
  double duration_ns = static_cast<double>(now_ns - begin_ns_);
  if (boosted_) {
    const int64_t raised_ns = now_ns - boosted_ns_ - transition_ns_;
    duration_ns +=
        static_cast<double>(std::max<int64_t>(raised_ns, 0)) * (speed_ - 1);
  }
  duration_ns_[kind_].Add(duration_ns);
  boosted_ = false;
  deadline_ns_ = kNever;
}

void GcBoost::BoostAt(int64_t now_ns) {
  boosted_ = true;
  boosted_ns_ = now_ns;
  deadline_ns_ = kNever;
}

}  // namespace edgewise
