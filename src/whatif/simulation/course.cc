#include "whatif/simulation/course.h"

#include <algorithm>

namespace edgewise {

int64_t RunCourse::Run(int64_t now_ns, float run_ns, const End* end) {
  stops_.clear();
  begin_ns_ = now_ns;
  run_ns_ = run_ns;
  collections_.Pass(run_ns, [this](float at_ns, const LoopPause& pause) {
    stops_.push_back({at_ns, pause.ns, Stop::Kind::kCollection, pause.type});
  });
  displaced_.Pass(run_ns, [this](float at_ns, const LoopPause& pause) {
    stops_.push_back({at_ns, pause.ns, Stop::Kind::kDisplaced, pause.type});
  });
  if (pace_ != nullptr) return RunPaced(now_ns, run_ns, end);
  for (const Stop& stop : stops_) now_ns += static_cast<int64_t>(stop.ns);
  return now_ns + static_cast<int64_t>(run_ns);
}

int64_t RunCourse::RunPaced(int64_t now_ns, float run_ns, const End* end) {
  legs_.clear();
  if (end != nullptr) {
    stops_.push_back(
        {std::min(end->run_ns, run_ns), 0, Stop::Kind::kEnd, GcType::kOther});
  }
  std::sort(stops_.begin(), stops_.end(),
            [](const Stop& one, const Stop& other) {
              return one.at_ns != other.at_ns ? one.at_ns < other.at_ns
                                              : one.kind < other.kind;
            });
  float ran_ns = 0;
  const auto run_to = [&](float at_ns) {
    now_ns = pace_->Run(now_ns, at_ns - ran_ns, ran_ns, &legs_);
    ran_ns = at_ns;
  };
  std::vector<Leg>* const untold = nullptr;
  for (const Stop& stop : stops_) {
    run_to(stop.at_ns);
    switch (stop.kind) {
      case Stop::Kind::kEnd:
        pace_->RequestEnd(now_ns, end->request);
        break;
      case Stop::Kind::kCollection:
        pace_->CollectionBegin(now_ns, stop.type);
        now_ns = pace_->Run(now_ns, stop.ns, 0, untold);
        pace_->CollectionEnd(now_ns);
        break;
      case Stop::Kind::kDisplaced:
        now_ns = pace_->Stop(now_ns, static_cast<int64_t>(stop.ns));
        break;
    }
  }
  run_to(run_ns);
  return now_ns;
}

int64_t RunCourse::At(float run_ns) const {
  if (pace_ != nullptr) {
    // What is asked for where a pause begins was before it.
    const float ran_ns = std::min(run_ns, run_ns_);
    auto leg = std::lower_bound(legs_.begin(), legs_.end(), ran_ns,
                                [](const Leg& leg, float ns) {
                                  return leg.run_ns < static_cast<double>(ns);
                                });
    if (leg == legs_.begin()) return begin_ns_;
    --leg;
    return leg->at_ns +
           static_cast<int64_t>((ran_ns - leg->run_ns) / leg->speed);
  }
  int64_t at_ns = begin_ns_ + static_cast<int64_t>(std::min(run_ns, run_ns_));
  for (const Stop& stop : stops_) {
    if (stop.at_ns < run_ns) at_ns += static_cast<int64_t>(stop.ns);
  }
  return at_ns;
}

}  // namespace edgewise
