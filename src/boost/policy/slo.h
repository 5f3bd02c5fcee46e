#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "boost/policy.h"
#include "boost/policy/duration_history.h"
#include "boost/policy/in_flight.h"
#include "boost/policy/latency_quantile.h"
#include "boost/policy/moving_average.h"
#include "boost/policy/ready_queue.h"
#include "boost/policy/route_history.h"
#include "boost/policy/work_clock.h"

namespace edgewise {

// Boosts only while some request would otherwise pass the target: its age, plus
// the work that is ahead of it on the loop, plus its own.
// docs/boost-policies.md has the model; all work is in ns at the low level.
class Slo : public Policy {
 public:
  // Without a configured target it boosts when the prediction passes what is
  // usual of the time from a request's arrival to the end of its first event:
  // so many medians, but not less than that part of the percentile (at a light
  // load hardly anybody waits, and a few medians are nothing that the tail
  // would notice) nor more than it. A tail is prevented at the begin of a long
  // queue, not when the percentile is reached.
  static constexpr double kMedians = 3.2;
  static constexpr double kPercentilePart = 0.25;
  // And at most so many times an average request's own work: where most have
  // waited, at a cold start or in a long overload, their median is no measure.
  static constexpr double kMostWorks = 32;
  // How much the queue's work weighs for those who are still to come: a crowd
  // is the sign of a burst, and a burst goes on.
  static constexpr double kCrowd = 2;
  // Once boosted, until the prediction is down to that part of the target.
  static constexpr double kRelease = 0.95;
  // Requests expected to arrive in time to be hurt, for which it boosts though
  // nobody waits yet.
  static constexpr double kFewestHurt = 1;
  // A request that waits for I/O counts only if the loop would add at least
  // this part of the target to it.
  static constexpr double kLeastPart = 0.125;
  // Deadlines are set for events that run at least so long.
  static constexpr int64_t kLeastEventNs = 500'000;

  explicit Slo(const PolicyConfig& config);

  std::string_view name() const override { return "slo"; }
  void On(const Signal& signal) override;
  Want want() const override {
    return boosted_ ? Want{Level::kHigh, Reason::kRequest} : Want{};
  }
  int64_t next_deadline_ns() const override { return deadline_ns_; }
  bool watches_queue() const override { return true; }

 private:
  static constexpr size_t kGcKinds = 8;

  // What the loop is at, as far as it can be foreseen.
  struct Running {
    const DurationHistory* history = nullptr;  // null: nothing known
    int64_t elapsed_ns = 0;
    int64_t total_ns = 0;
    // Behind it in the same event: the event that a collection interrupts.
    int64_t behind_ns = 0;

    int64_t rest_ns() const { return total_ns - elapsed_ns + behind_ns; }
  };

  void Take(const Signal& signal);
  void EventBegin(const Signal& signal);
  void EventEnd();
  void RequestBegin(const Signal& signal);
  void RequestEnd(const Signal& signal);
  void CloseFirst();
  void GcBegin(const Signal& signal);
  void GcEnd();
  // Since some point of the work clock, collections left out.
  int64_t WorkSince(int64_t begin_work_ns, int64_t gc_before_ns) const;
  Running EventNow() const;
  Running RunningNow() const;
  // The prediction above which it boosts; 0: not known yet.
  int64_t TriggerNs() const;
  // By how much the running work may still grow before somebody is hurt;
  // negative: somebody is.
  int64_t SlackNs(const Running& running, int64_t target_ns);
  int64_t SlackOfWaiting(int64_t ahead_ns, int64_t target_ns);
  void Decide();
  void Become(bool boosted);

  const int64_t worth_ns_;         // two transitions
  const int64_t fixed_target_ns_;  // 0: none
  WorkClock clock_;
  // From arrival to the end of the first event.
  LatencyQuantile first_median_;
  LatencyQuantile first_percentile_;
  RouteHistory routes_;
  DurationHistory events_;
  // What an event still does after its first answer: more answers, if one read
  // has brought what several requests waited for.
  DurationHistory after_;
  std::array<DurationHistory, kGcKinds> gcs_;
  MovingAverage<1024> event_ns_;     // collections included
  MovingAverage<1024> interval_ns_;  // between arrivals
  InFlight in_flight_;
  ReadyQueue ready_;

  bool busy_ = false;
  bool in_event_ = false;
  bool boosted_ = false;
  int64_t last_arrival_ns_ = 0;
  int64_t event_begin_ns_ = 0;
  int64_t event_work_ns_ = 0;  // the work clock at the event's begin
  int64_t event_gc_ns_ = 0;    // gc_ns_ then

  // The request that the running event is at; null: none that is known.
  InFlightRequest* current_ = nullptr;
  bool request_ended_ = false;    // one did, in this event
  int64_t answered_work_ns_ = 0;  // the work clock when the first of them did
  int64_t answered_gc_ns_ = 0;    // gc_ns_ then
  int64_t current_gc_ns_ = 0;     // gc_ns_ at its begin

  uint32_t gc_depth_ = 0;
  size_t gc_kind_ = 0;
  int64_t gc_work_ns_ = 0;  // the work clock at its begin
  int64_t gc_ns_ = 0;       // work of all collections that have ended
  int64_t boosted_since_ns_ = 0;
  int64_t deadline_ns_ = kNever;
};

}  // namespace edgewise
