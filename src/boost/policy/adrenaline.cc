#include "boost/policy/adrenaline.h"

#include <algorithm>

namespace edgewise {

Adrenaline::Adrenaline(const PolicyConfig& config)
    : tail_routes_(config.tail_routes) {
  std::sort(tail_routes_.begin(), tail_routes_.end());
}

void Adrenaline::On(const Signal& signal) {
  if (signal.kind == SignalKind::kRequestBegin) {
    if (std::binary_search(tail_routes_.begin(), tail_routes_.end(),
                           signal.route)) {
      in_flight_.Add(signal.request);
    }
  } else if (signal.kind == SignalKind::kRequestEnd) {
    if (InFlightRequest* entry = in_flight_.Find(signal.request)) {
      in_flight_.Remove(entry);
    }
  } else if (signal.kind == SignalKind::kSignalsLost) {
    in_flight_.Clear();
  }
}

}  // namespace edgewise
