#include "boost/policy/running_time.h"

namespace edgewise {

void RunningTime::On(const Signal& signal) {
  if (signal.kind == SignalKind::kNotRun) {
    pauses_[next_++ % kPauses] = {signal.now_ns, off_ns_};
    off_ns_ += int64_t{signal.value} * 1000;
    return;
  }
  Signal own = signal;
  own.now_ns = At(signal.now_ns);
  if (signal.arrival_ns != 0) own.arrival_ns = At(signal.arrival_ns);
  policy_->On(own);
}

int64_t RunningTime::At(int64_t ns) const {
  int64_t off_ns = off_ns_;
  for (size_t back = 1; back <= kPauses && back <= next_; ++back) {
    const Pause& pause = pauses_[(next_ - back) % kPauses];
    if (pause.end_ns <= ns) break;
    off_ns = pause.before_ns;
  }
  return ns - off_ns;
}

}  // namespace edgewise
