#pragma once

#include <cstdint>
#include <string_view>

#include "boost/policy.h"
#include "boost/policy/moving_average.h"

namespace edgewise {

// Queue Boost (VEE'19 section 6.2): high while the queue is longer than
// queue_factor times its average, or the running event has taken longer than
// head_factor times the average. Where the paper polls every microsecond, a
// deadline set at the event's begin tells the same moment, and averages are
// those that polls of a busy loop would find: each event weighs by its time.
//
// - Queue length: events that are ready and have not begun, the running one
//   excluded: E[length S] / E[S] over the events' times S. The threshold lies
//   at least kLeastExcess above the average, so that one or two events are no
//   long queue. Once boosted it stays until the length is down to kRelease of
//   that.
// - Head: the time on the running event, a collection inside it included: a
//   poll finds it half over, E[S^2] / 2 E[S]. Boosted until the event ends.
// - The averages' time constant is kWindow events, and nothing is boosted
//   before kWarmUp. A sample counts at most as kMostSample thresholds, so that
//   one stop of the whole loop does not hide what comes after it.
class QueueBoost : public Policy {
 public:
  static constexpr uint32_t kWindow = 1024;
  static constexpr uint32_t kWarmUp = 64;
  static constexpr double kLeastExcess = 2;
  static constexpr double kRelease = 0.9;
  static constexpr double kMostSample = 8;
  static constexpr int64_t kLeastHeadNs = 500'000;

  explicit QueueBoost(const PolicyConfig& config);

  std::string_view name() const override { return "queue"; }
  void On(const Signal& signal) override;
  Want want() const override {
    if (long_queue_) return {Level::kHigh, Reason::kQueue};
    if (long_head_) return {Level::kHigh, Reason::kHead};
    return {};
  }
  int64_t next_deadline_ns() const override { return deadline_ns_; }
  // Sooner no event is long; and what begins makes the queue shorter.
  int64_t patience_ns() const override {
    return static_cast<int64_t>(least_head_ns_);
  }
  bool watches_queue() const override { return true; }

 private:
  void EventBegin(int64_t now_ns);
  void EventEnd(int64_t now_ns);
  void SetLength(uint32_t length);
  bool warm() const { return event_ns_.count() >= kWarmUp; }
  double LengthThreshold() const;
  double HeadThresholdNs() const;

  const double queue_factor_;
  const double head_factor_;
  const double least_head_ns_;
  MovingAverage<kWindow> event_ns_;
  MovingAverage<kWindow> event_ns2_;  // squared
  MovingAverage<kWindow> length_ns_;  // times the length meanwhile
  uint32_t length_ = 0;
  bool in_event_ = false;
  bool long_queue_ = false;
  bool long_head_ = false;
  int64_t begin_ns_ = 0;
  int64_t deadline_ns_ = kNever;
};

}  // namespace edgewise
