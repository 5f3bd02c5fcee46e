#include "boost/policy/slo.h"

#include <algorithm>
#include <bit>

namespace edgewise {

Slo::Slo(const PolicyConfig& config)
    : worth_ns_(2 * config.transition_ns),
      fixed_target_ns_(config.target_ns),
      clock_(config.frequencies, config.transition_ns),
      first_median_(50),
      first_percentile_(config.percentile) {}

void Slo::On(const Signal& signal) {
  // A collection is work even when it comes between two batches.
  clock_.Advance(signal.now_ns, busy_ || gc_depth_ > 0);
  Take(signal);
  Decide();
}

void Slo::Take(const Signal& signal) {
  switch (signal.kind) {
    case SignalKind::kLoopBusy:
      EventEnd();
      busy_ = true;
      ready_.Batch(signal.value, signal.arrival_ns, signal.now_ns);
      return;
    case SignalKind::kLoopIdle:
      EventEnd();
      busy_ = false;
      ready_.Clear();
      return;
    case SignalKind::kEventBegin:
      EventEnd();
      EventBegin(signal);
      return;
    case SignalKind::kQueueLength:
      ready_.Look(signal.value, signal.now_ns);
      return;
    case SignalKind::kGcBegin:
      if (gc_depth_++ == 0) GcBegin(signal);
      return;
    case SignalKind::kGcEnd:
      if (gc_depth_ != 0 && --gc_depth_ == 0) GcEnd();
      return;
    case SignalKind::kRequestBegin:
      RequestBegin(signal);
      return;
    case SignalKind::kRequestEnd:
      RequestEnd(signal);
      return;
    case SignalKind::kSignalsLost:
      CloseFirst();
      in_flight_.Clear();
      return;
    case SignalKind::kNotRun:  // RunningTime's
    case SignalKind::kDeadline:
      return;
  }
}

void Slo::EventBegin(const Signal& signal) {
  ready_.Begin();
  busy_ = true;
  in_event_ = true;
  event_begin_ns_ = signal.now_ns;
  event_work_ns_ = clock_.work_ns();
  event_gc_ns_ = gc_ns_;
}

void Slo::EventEnd() {
  if (!in_event_) return;
  in_event_ = false;
  CloseFirst();
  if (request_ended_) after_.Add(WorkSince(answered_work_ns_, answered_gc_ns_));
  request_ended_ = false;
  events_.Add(WorkSince(event_work_ns_, event_gc_ns_));
  event_ns_.Add(static_cast<double>(clock_.work_ns() - event_work_ns_));
}

// The current request's work in the event that it began in is over.
void Slo::CloseFirst() {
  if (current_ == nullptr) return;
  routes_.AddFirst(current_->route,
                   WorkSince(current_->begin_work_ns, current_gc_ns_));
  if (fixed_target_ns_ == 0) {
    const int64_t first_ns =
        clock_.now_ns() - current_->arrival_ns + clock_.lag_ns();
    first_median_.Add(first_ns);
    first_percentile_.Add(first_ns);
  }
  current_ = nullptr;
}

void Slo::RequestBegin(const Signal& signal) {
  CloseFirst();
  const int64_t arrival_ns = ready_.ArrivalOf(signal);
  if (last_arrival_ns_ != 0) {
    interval_ns_.Add(static_cast<double>(
        std::max<int64_t>(arrival_ns - last_arrival_ns_, 0)));
  }
  last_arrival_ns_ = std::max(last_arrival_ns_, arrival_ns);
  current_ = in_flight_.Add(signal.request);
  if (current_ == nullptr) return;
  current_->route = signal.route;
  current_->arrival_ns = arrival_ns;
  current_->begin_work_ns = clock_.work_ns();
  current_gc_ns_ = gc_ns_;
}

void Slo::RequestEnd(const Signal& signal) {
  InFlightRequest* entry = in_flight_.Find(signal.request);
  if (entry == nullptr) return;
  if (entry == current_) {
    CloseFirst();
  } else if (in_event_ && entry->begin_work_ns < event_work_ns_) {
    routes_.AddLast(entry->route, WorkSince(event_work_ns_, event_gc_ns_));
  }
  if (in_event_ && !request_ended_) {
    request_ended_ = true;
    answered_work_ns_ = clock_.work_ns();
    answered_gc_ns_ = gc_ns_;
  }
  in_flight_.Remove(entry);
}

void Slo::GcBegin(const Signal& signal) {
  gc_kind_ = std::min<size_t>(std::countr_zero(signal.value), kGcKinds - 1);
  gc_work_ns_ = clock_.work_ns();
}

void Slo::GcEnd() {
  const int64_t took_ns = clock_.work_ns() - gc_work_ns_;
  gcs_[gc_kind_].Add(took_ns);
  gc_ns_ += took_ns;
}

int64_t Slo::WorkSince(int64_t begin_work_ns, int64_t gc_before_ns) const {
  const int64_t running_gc_ns =
      gc_depth_ > 0 ? clock_.work_ns() - gc_work_ns_ : 0;
  return std::max<int64_t>(clock_.work_ns() - begin_work_ns -
                               (gc_ns_ - gc_before_ns) - running_gc_ns,
                           0);
}

Slo::Running Slo::EventNow() const {
  Running running;
  if (!in_event_) return running;
  if (current_ != nullptr) {
    running.history = &routes_.FirstOf(current_->route);
    running.elapsed_ns = WorkSince(current_->begin_work_ns, current_gc_ns_);
  } else if (request_ended_) {
    running.history = &after_;
    running.elapsed_ns = WorkSince(answered_work_ns_, answered_gc_ns_);
  } else {
    running.history = &events_;
    running.elapsed_ns = WorkSince(event_work_ns_, event_gc_ns_);
  }
  if (running.history->empty()) return Running{};
  running.total_ns = running.history->ExpectedTotalNs(running.elapsed_ns);
  return running;
}

Slo::Running Slo::RunningNow() const {
  const Running event = EventNow();
  if (gc_depth_ == 0 || gcs_[gc_kind_].empty()) return event;
  Running gc;
  gc.history = &gcs_[gc_kind_];
  gc.elapsed_ns = clock_.work_ns() - gc_work_ns_;
  gc.total_ns = gc.history->ExpectedTotalNs(gc.elapsed_ns);
  gc.behind_ns = event.rest_ns();
  return gc;
}

int64_t Slo::SlackNs(const Running& running, int64_t target_ns) {
  const int64_t now_ns = clock_.now_ns();
  const int64_t rest_ns = running.rest_ns();
  const auto each_ns = static_cast<int64_t>(event_ns_.mean());
  const auto own_ns =
      static_cast<int64_t>(routes_.any().empty() ? 0 : routes_.any().mean_ns());
  const int64_t queue_ns = ready_.count() * each_ns;
  const auto crowd_ns =
      static_cast<int64_t>(kCrowd * static_cast<double>(queue_ns));
  // Somebody who would arrive now; one who arrives later waits less, so that
  // only those are hurt who come in the time by which it is too long.
  int64_t slack_ns = target_ns - rest_ns - crowd_ns - own_ns +
                     static_cast<int64_t>(kFewestHurt * interval_ns_.mean());
  if (current_ != nullptr) {
    slack_ns = std::min(slack_ns,
                        target_ns - (now_ns - current_->arrival_ns) - rest_ns);
  }
  if (ready_.count() > 0) {
    // Ages and waits are both linear in the place in the queue: the first or
    // the last is hurt most.
    const int64_t first_ns = now_ns - ready_.oldest_ns() + rest_ns;
    const int64_t last_ns =
        now_ns - ready_.newest_ns() + rest_ns + queue_ns - each_ns;
    slack_ns =
        std::min(slack_ns, target_ns - own_ns - std::max(first_ns, last_ns));
  }
  if (fixed_target_ns_ == 0) return slack_ns;
  return std::min(slack_ns, SlackOfWaiting(rest_ns + queue_ns, target_ns));
}

// Of the request that has waited longest for I/O: when that comes, it queues.
int64_t Slo::SlackOfWaiting(int64_t ahead_ns, int64_t target_ns) {
  if (static_cast<double>(ahead_ns) <
      kLeastPart * static_cast<double>(target_ns)) {
    return kNever;
  }
  // One that has passed the target while it waited is lost to I/O, or never
  // ends: no boost helps it.
  const int64_t lost_before_ns = clock_.now_ns() - fixed_target_ns_;
  InFlightRequest* oldest = in_flight_.Oldest();
  while (oldest != nullptr &&
         (oldest == current_ || oldest->arrival_ns < lost_before_ns)) {
    InFlightRequest* passed = oldest;
    oldest = in_flight_.Newer(passed);
    if (passed != current_) in_flight_.Unlist(passed);
  }
  if (oldest == nullptr) return kNever;
  return target_ns - (clock_.now_ns() - oldest->arrival_ns) - ahead_ns -
         routes_.LastNsOf(oldest->route);
}

int64_t Slo::TriggerNs() const {
  if (fixed_target_ns_ != 0) return fixed_target_ns_;
  const auto percentile_ns = static_cast<double>(first_percentile_.value_ns());
  const double usual_ns =
      std::max(kMedians * static_cast<double>(first_median_.value_ns()),
               kPercentilePart * percentile_ns);
  return static_cast<int64_t>(std::min(
      {percentile_ns, usual_ns, kMostWorks * routes_.any().mean_ns()}));
}

void Slo::Decide() {
  deadline_ns_ = kNever;
  const int64_t target_ns = TriggerNs();
  if (!busy_ || target_ns == 0) return Become(false);
  const Running running = RunningNow();
  if (boosted_) {
    const auto release_ns =
        static_cast<int64_t>(kRelease * static_cast<double>(target_ns));
    if (clock_.now_ns() - boosted_since_ns_ < worth_ns_) return;
    return Become(SlackNs(running, release_ns) < 0);
  }
  const int64_t slack_ns = SlackNs(running, target_ns);
  if (slack_ns < 0) {
    const int64_t work_ns =
        running.rest_ns() +
        ready_.count() * static_cast<int64_t>(event_ns_.mean());
    if (work_ns >= worth_ns_) return Become(true);
  }
  if (running.history == nullptr) return;
  // As time goes by, ages grow as much as what is left shrinks: nothing changes
  // until the running work turns out to be longer than was expected.
  const int64_t when_ns = running.history->ElapsedWhenExpected(
      running.elapsed_ns, running.total_ns + std::max<int64_t>(slack_ns, 0));
  // An event that is over soon needs no deadline: each one that the
  // controller's thread does not know yet costs the loop a system call.
  deadline_ns_ = std::max(clock_.now_ns() + when_ns - running.elapsed_ns,
                          event_begin_ns_ + kLeastEventNs);
}

void Slo::Become(bool boosted) {
  if (boosted == boosted_) return;
  boosted_ = boosted;
  boosted_since_ns_ = clock_.now_ns();
  clock_.Ask(boosted ? Level::kHigh : Level::kLow);
}

}  // namespace edgewise
