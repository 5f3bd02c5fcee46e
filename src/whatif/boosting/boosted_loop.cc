#include "whatif/boosting/boosted_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "boost/policy/running_time.h"

namespace edgewise {
namespace {

// A loop that has waited for longer had nothing to do (boost/controller.cc).
constexpr int64_t kRestNs = 200'000;

// The shortest sleep of its thread.
constexpr int64_t kLeastPauseNs = 20'000;

// V8's kind of a collection; that of a sweep, which none of its callbacks
// tells, has no policy a history of.
uint32_t KindOf(GcType type) { return 1U << static_cast<unsigned>(type); }

}  // namespace

BoostedLoop::BoostedLoop(std::unique_ptr<Policy> policy,
                         const BoostMachine& machine, int64_t counts_from_ns,
                         uint64_t seed)
    : policy_(std::make_unique<RunningTime>(std::move(policy))),
      machine_(machine),
      counts_from_ns_(counts_from_ns),
      watches_loop_(policy_->patience_ns() != kNever),
      looks_(watches_loop_ && policy_->watches_queue()),
      random_(static_cast<uint32_t>(seed)),
      budget_(machine.look_share) {
  Decide();
  // The level that it wants from the start holds at the start.
  held_ = asked_;
  change_at_ns_ = kNever;
  PlanDeadline();
}

void BoostedLoop::LoopIdle(int64_t now_ns) {
  PassTo(now_ns);
  busy_ = false;
  idle_since_ns_ = now_ns;
  if (watches_loop_) Tell({.kind = SignalKind::kLoopIdle});
}

void BoostedLoop::LoopBusy(int64_t now_ns, uint32_t events, bool slept) {
  PassTo(now_ns);
  if (const int64_t rest_ns = now_ns - idle_since_ns_; rest_ns > kRestNs) {
    budget_.Rested(rest_ns);
  }
  busy_ = true;
  arrival_ns_ = slept ? now_ns : 0;
  if (!watches_loop_) return;
  Tell({.kind = SignalKind::kLoopBusy,
        .value = events,
        .arrival_ns = arrival_ns_});
  PlanLook();
}

void BoostedLoop::EventBegin(int64_t now_ns) {
  PassTo(now_ns);
  if (!watches_loop_) return;
  Tell({.kind = SignalKind::kEventBegin});
  PlanLook();
}

void BoostedLoop::RequestBegin(int64_t now_ns, uint32_t request,
                               uint32_t route) {
  PassTo(now_ns);
  Tell({.kind = SignalKind::kRequestBegin,
        .route = route,
        .request = request,
        .arrival_ns = arrival_ns_});
}

void BoostedLoop::RequestEnd(int64_t now_ns, uint32_t request) {
  PassTo(now_ns);
  Tell({.kind = SignalKind::kRequestEnd, .request = request});
}

void BoostedLoop::CollectionBegin(int64_t now_ns, GcType type) {
  PassTo(now_ns);
  Tell({.kind = SignalKind::kGcBegin, .value = KindOf(type)});
}

void BoostedLoop::CollectionEnd(int64_t now_ns) {
  PassTo(now_ns);
  Tell({.kind = SignalKind::kGcEnd});
}

int64_t BoostedLoop::Run(int64_t now_ns, double run_ns, double before_ns,
                         std::vector<Leg>* legs) {
  PassTo(now_ns);
  double ran_ns = 0;
  while (true) {
    if (legs != nullptr) {
      legs->push_back({before_ns + ran_ns, now_ns_, speed()});
    }
    const double left_ns = run_ns - ran_ns;
    const auto length_ns = static_cast<int64_t>(left_ns / speed());
    if (now_ns_ + length_ns < NextNs()) {
      Spend(now_ns_ + length_ns);
      return now_ns_;
    }
    const int64_t before = now_ns_;
    const double at_speed = speed();
    PassTo(std::max(now_ns_, NextNs()));
    ran_ns += static_cast<double>(now_ns_ - before) * at_speed;
  }
}

int64_t BoostedLoop::Stop(int64_t now_ns, int64_t ns) {
  PassTo(now_ns + ns);
  Tell(
      {.kind = SignalKind::kNotRun, .value = static_cast<uint32_t>(ns / 1000)});
  return now_ns_;
}

BoostCounts BoostedLoop::Finish(int64_t end_ns) {
  PassTo(end_ns);
  return counts_;
}

int64_t BoostedLoop::NextNs() const {
  return std::min({change_at_ns_, lower_at_ns_, due_ns_, look_at_ns_});
}

// All that the processor and the controller's thread do by then.
void BoostedLoop::PassTo(int64_t until_ns) {
  while (NextNs() <= until_ns) {
    Spend(std::max(now_ns_, NextNs()));
    if (change_at_ns_ <= now_ns_) {
      change_at_ns_ = kNever;
      ++counts_.transitions;
      held_ = asked_;
    } else if (look_at_ns_ <= now_ns_) {
      LookNow();
    } else if (due_ns_ <= now_ns_) {
      ++counts_.deadlines;
      deadline_ns_ = due_ns_ = kNever;
      Tell({.kind = SignalKind::kDeadline});
    } else {
      lower_at_ns_ = kNever;
      Decide();
    }
  }
  Spend(std::max(now_ns_, until_ns));
}

void BoostedLoop::Spend(int64_t until_ns) {
  const int64_t from_ns = std::max(now_ns_, counts_from_ns_);
  if (until_ns > from_ns) {
    counts_.residency[static_cast<size_t>(held_)] += until_ns - from_ns;
  }
  now_ns_ = until_ns;
}

void BoostedLoop::Tell(Signal signal) {
  signal.now_ns = now_ns_;
  policy_->On(signal);
  Decide();
  PlanDeadline();
}

// As Controller::Follow() does.
void BoostedLoop::Decide() {
  const Level level = policy_->want().level;
  lower_at_ns_ = kNever;
  if (level > asked_) {
    ++counts_.boosts;
    hold_until_ns_ = now_ns_ + 2 * machine_.transition_ns;
    Ask(level);
  } else if (level < asked_) {
    if (now_ns_ >= hold_until_ns_) {
      Ask(level);
    } else {
      lower_at_ns_ = hold_until_ns_;
    }
  }
}

// One that has not come to hold is replaced, or withdrawn.
void BoostedLoop::Ask(Level level) {
  asked_ = level;
  const int64_t takes_ns = level > held_ ? machine_.rise_ns : machine_.fall_ns;
  change_at_ns_ = level == held_ ? kNever : now_ns_ + takes_ns;
}

void BoostedLoop::PlanDeadline() {
  const int64_t deadline_ns = policy_->next_deadline_ns();
  if (deadline_ns == deadline_ns_) return;
  deadline_ns_ = deadline_ns;
  due_ns_ = kNever;
  if (deadline_ns == kNever) return;
  due_ns_ =
      std::max(deadline_ns, now_ns_ + kLeastPauseNs) + Draw(machine_.deadline);
}

// The thread is woken for what comes while the loop is busy, unless it is deaf.
void BoostedLoop::PlanLook() {
  if (!looks_) return;
  const int64_t coming_ns = ready_->NextNs();
  if (coming_ns == coming_ns_) return;  // is planned
  coming_ns_ = coming_ns;
  look_at_ns_ = kNever;
  if (coming_ns == INT64_MAX) return;
  look_at_ns_ = std::max({coming_ns, now_ns_, budget_.listens_from_ns()}) +
                Draw(machine_.look);
}

void BoostedLoop::LookNow() {
  look_at_ns_ = coming_ns_ = kNever;
  if (!busy_) return;  // the loop itself wakes up for it
  ++counts_.looks;
  budget_.Turn(now_ns_, machine_.look_cost_ns);
  Tell({.kind = SignalKind::kQueueLength, .value = ready_->CountAt(now_ns_)});
  PlanLook();
}

int64_t BoostedLoop::Draw(const Lateness& lateness) {
  constexpr double kP99 = 2.3263;  // standard deviations
  if (lateness.median_ns <= 0) return 0;
  const double spread =
      std::log(std::max(lateness.p99_ns / lateness.median_ns, 1.0)) / kP99;
  return static_cast<int64_t>(lateness.median_ns *
                              std::exp(spread * normal_(random_)));
}

}  // namespace edgewise
