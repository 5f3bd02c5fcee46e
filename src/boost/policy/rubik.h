#pragma once

#include <cstdint>
#include <string_view>

#include "boost/policy.h"
#include "boost/policy/in_flight.h"
#include "boost/policy/latency_target.h"
#include "boost/policy/ready_queue.h"
#include "boost/policy/tail_table.h"
#include "boost/policy/work_clock.h"

namespace edgewise {

// Rubik (Kasture et al., MICRO'15): the lowest level at which each request in
// flight, taken as one queue that is served in order, would still end within
// the target with the configured probability. Decided anew at each begin and
// end of a request, and when a prediction would change by time alone.
//
// It is what VEE'19 section 7.2 compares with, its weakness included: a request
// is taken to be served alone from its begin, or the end of the one before, to
// its end; the waits and the other requests' events between its own count as
// its work.
class Rubik : public Policy {
 public:
  // Requests that one decision looks at, the oldest first.
  static constexpr size_t kDepth = 64;

  explicit Rubik(const PolicyConfig& config);

  std::string_view name() const override { return "rubik"; }
  void On(const Signal& signal) override;
  Want want() const override {
    return {level_, level_ == Level::kLow ? Reason::kNone : Reason::kRequest};
  }
  int64_t next_deadline_ns() const override { return deadline_ns_; }

 private:
  void End(const Signal& signal);
  void Decide();
  // The lowest level that does `work_ns` in `budget_ns`.
  Level LevelFor(int64_t work_ns, int64_t budget_ns) const;

  WorkClock clock_;
  LatencyTarget target_;
  TailTable table_;
  InFlight in_flight_;
  ReadyQueue ready_;
  int64_t last_end_work_ns_ = 0;  // the work clock at the last request's end
  Level level_ = Level::kLow;
  int64_t deadline_ns_ = kNever;
};

}  // namespace edgewise
