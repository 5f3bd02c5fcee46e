#include "boost/policy/rubik.h"

#include <algorithm>

namespace edgewise {

Rubik::Rubik(const PolicyConfig& config)
    : clock_(config.frequencies, config.transition_ns),
      target_(config),
      table_(config.percentile) {}

void Rubik::On(const Signal& signal) {
  // Idle times of the loop are no gaps: a request in flight is being served.
  clock_.Advance(signal.now_ns, in_flight_.size() > 0);
  switch (signal.kind) {
    case SignalKind::kLoopBusy:
      ready_.Batch(signal.value, signal.arrival_ns, signal.now_ns);
      return;
    case SignalKind::kLoopIdle:
      ready_.Clear();
      return;
    case SignalKind::kEventBegin:
      ready_.Begin();
      return;
    case SignalKind::kRequestBegin:
      if (InFlightRequest* entry = in_flight_.Add(signal.request)) {
        entry->arrival_ns = ready_.ArrivalOf(signal);
        entry->begin_work_ns = clock_.work_ns();
      }
      break;
    case SignalKind::kRequestEnd:
      End(signal);
      break;
    case SignalKind::kSignalsLost:
      in_flight_.Clear();
      break;
    default:
      if (signal.now_ns < deadline_ns_) return;
      break;
  }
  Decide();
}

void Rubik::End(const Signal& signal) {
  InFlightRequest* entry = in_flight_.Find(signal.request);
  if (entry == nullptr) return;
  table_.Add(clock_.work_ns() -
             std::max(entry->begin_work_ns, last_end_work_ns_));
  table_.Step();
  target_.Add(signal.now_ns - entry->arrival_ns + clock_.lag_ns());
  last_end_work_ns_ = clock_.work_ns();
  in_flight_.Remove(entry);
}

Level Rubik::LevelFor(int64_t work_ns, int64_t budget_ns) const {
  for (const Level level : {Level::kLow, Level::kMid}) {
    if (static_cast<double>(work_ns) <=
        static_cast<double>(budget_ns) * clock_.speed(level)) {
      return level;
    }
  }
  return Level::kHigh;
}

void Rubik::Decide() {
  level_ = Level::kLow;
  deadline_ns_ = kNever;
  const int64_t target_ns = target_.value_ns();
  InFlightRequest* entry = in_flight_.Oldest();
  if (table_.ready() && target_ns > 0 && entry != nullptr) {
    const int64_t now_ns = clock_.now_ns();
    const int64_t elapsed_ns =
        clock_.work_ns() - std::max(entry->begin_work_ns, last_end_work_ns_);
    double least_spare_ns = static_cast<double>(target_ns);
    for (size_t place = 0;
         place < kDepth && entry != nullptr && level_ != Level::kHigh;
         ++place, entry = in_flight_.Newer(entry)) {
      const int64_t work_ns = table_.TailNs(place, elapsed_ns);
      const int64_t budget_ns = target_ns - (now_ns - entry->arrival_ns);
      level_ = std::max(level_, LevelFor(work_ns, budget_ns));
      // Until when the level of now does for this one, if the tail of its work
      // stayed the same.
      least_spare_ns =
          std::min(least_spare_ns,
                   static_cast<double>(budget_ns) -
                       static_cast<double>(work_ns) / clock_.speed(level_));
    }
    if (level_ != Level::kHigh) {
      deadline_ns_ = now_ns + 1 +
                     std::max(static_cast<int64_t>(least_spare_ns), int64_t{0});
    }
  }
  clock_.Ask(level_);
}

}  // namespace edgewise
