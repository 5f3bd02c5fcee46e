#include "boost/policy/queue_boost.h"

#include <algorithm>

namespace edgewise {

QueueBoost::QueueBoost(const PolicyConfig& config)
    : queue_factor_(config.queue_factor),
      head_factor_(config.head_factor),
      least_head_ns_(static_cast<double>(
          std::max(2 * config.transition_ns, kLeastHeadNs))) {}

double QueueBoost::LengthThreshold() const {
  const double event_ns = event_ns_.mean();
  const double average = event_ns > 0 ? length_ns_.mean() / event_ns : 0;
  return std::max(queue_factor_ * average, average + kLeastExcess);
}

double QueueBoost::HeadThresholdNs() const {
  const double event_ns = event_ns_.mean();
  const double average = event_ns > 0 ? event_ns2_.mean() / (2 * event_ns) : 0;
  return std::max(head_factor_ * average, least_head_ns_);
}

void QueueBoost::On(const Signal& signal) {
  switch (signal.kind) {
    case SignalKind::kLoopBusy:
      EventEnd(signal.now_ns);
      SetLength(signal.value);
      return;
    case SignalKind::kEventBegin:
      EventEnd(signal.now_ns);
      EventBegin(signal.now_ns);
      return;
    case SignalKind::kLoopIdle:
      EventEnd(signal.now_ns);
      length_ = 0;
      long_queue_ = false;
      return;
    case SignalKind::kQueueLength:
      SetLength(signal.value);
      break;
    default:
      break;
  }
  if (signal.now_ns >= deadline_ns_) {
    long_head_ = true;
    deadline_ns_ = kNever;
  }
}

void QueueBoost::EventBegin(int64_t now_ns) {
  // It makes the queue shorter: no reason to boost, though the average may have
  // fallen even more.
  const bool was_long = long_queue_;
  SetLength(length_ > 0 ? length_ - 1 : 0);
  long_queue_ = was_long && long_queue_;
  in_event_ = true;
  begin_ns_ = now_ns;
  if (warm()) deadline_ns_ = now_ns + static_cast<int64_t>(HeadThresholdNs());
}

void QueueBoost::EventEnd(int64_t now_ns) {
  if (!in_event_) return;
  in_event_ = false;
  long_head_ = false;
  deadline_ns_ = kNever;
  auto took_ns = static_cast<double>(now_ns - begin_ns_);
  double length = length_;
  if (warm()) {
    took_ns = std::min(took_ns, kMostSample * HeadThresholdNs());
    length = std::min(length, kMostSample * LengthThreshold());
  }
  event_ns_.Add(took_ns);
  event_ns2_.Add(took_ns * took_ns);
  length_ns_.Add(length * took_ns);
}

void QueueBoost::SetLength(uint32_t length) {
  length_ = length;
  long_queue_ =
      warm() && length > (long_queue_ ? kRelease : 1) * LengthThreshold();
}

}  // namespace edgewise
