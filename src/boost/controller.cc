#include "boost/controller.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "platform/clock.h"
#include "platform/probe.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

// An actuator that keeps its caller longer is called by the thread: a system
// call and its way into the driver should not be the loop's.
constexpr int64_t kInlineCallNs = 5'000;

// A loop that has waited for longer had nothing to do: one that is saturated
// finds something at once.
constexpr int64_t kRestNs = 200'000;

// Who wants the lock tries so often, then sleeps so long between two tries.
constexpr int kMostLockTries = 100;
constexpr int64_t kLeastLockPauseNs = 50'000;
constexpr int64_t kMostLockPauseNs = 1'000'000;

// Names are literals: they end with 0.
void ProbeChange(Want to, Want from) {
  if (to.level > from.level && EDGEWISE_PROBED(boost__up)) [[unlikely]] {
    EDGEWISE_PROBE(boost__up, NameOf(to.level).data(),
                   kReasonNames[static_cast<size_t>(to.reason)].data());
  }
  if (to.level < from.level && EDGEWISE_PROBED(boost__down)) [[unlikely]] {
    EDGEWISE_PROBE(boost__down, NameOf(to.level).data(),
                   kReasonNames[static_cast<size_t>(from.reason)].data());
  }
}

}  // namespace

Controller::Controller(std::unique_ptr<Policy> policy,
                       std::unique_ptr<Actuator> actuator,
                       ControllerConfig config)
    : config_(std::move(config)),
      policy_(std::move(policy)),
      actuator_(std::move(actuator)),
      patience_ns_(std::min(policy_->patience_ns(), kLongestSleepNs)),
      act_inline_(actuator_->call_ns() <= kInlineCallNs),
      dwell_ns_(config_.dwell_ns.value_or(2 * actuator_->transition_ns())),
      looks_(config_.look_fd >= 0 && policy_->watches_queue()),
      energy_(config_.root),
      budget_(config_.look_share),
      watch_(looks_ ? config_.look_fd : -1) {
  stats_.policy = policy_->name();
  stats_.actuator = actuator_->name();
  stats_.description = actuator_->description();
  stats_.frequencies = actuator_->frequencies();
  began_ns_ = since_ns_ = energy_read_ns_ = MonotonicTickNs();
  spent_before_ = actuator_->residency().value_or(Residency{});
  // The level of the policy that wants one from the start, or the lowest: what
  // the processor did before may have been neither.
  Change(policy_->want(), began_ns_, began_ns_);
  FindCalm();
  termination_.Begin();
  auto thread = HelperThread::Start("edgewise-boost", [this] { Run(); });
  started_ = thread.status();
  if (started_.ok()) {
    thread_ = *std::move(thread);
  } else {
    actuator_->Restore();
  }
}

Controller::~Controller() { Stop(); }

void Controller::Stop() {
  if (!thread_.joinable()) return;
  stopping_.store(true, std::memory_order_release);
  watch_.Wake();
  thread_.join();
  Lock();
  Finish();
  Unlock();
  termination_.End();  // after that: a signal may have waited
}

ControllerStats Controller::stats() {
  Lock();
  ControllerStats stats = StatsLocked();
  UnlockAndTakeQueued();
  return stats;
}

bool Controller::TryLock() {
  // Acquire: what the last holder did is seen.
  return locked_.load(std::memory_order_relaxed) == 0 &&
         locked_.exchange(1, std::memory_order_acquire) == 0;
}

// Not the loop's thread. The holder may have lost the processor, even to this
// thread, which has precedence: longer and longer, or it would never get it.
void Controller::Lock() {
  int64_t pause_ns = kLeastLockPauseNs;
  for (int tries = 0; !TryLock(); ++tries) {
    if (tries < kMostLockTries) continue;
    SleepNs(pause_ns);
    pause_ns = std::min(2 * pause_ns, kMostLockPauseNs);
  }
}

void Controller::Unlock() {
  // Release, and a full barrier before a look at the queue: the loop pushes,
  // then tries the lock.
  locked_.exchange(0, std::memory_order_seq_cst);
}

// And then what the loop has handed over meanwhile to the lock's holder.
void Controller::UnlockAndTakeQueued() {
  Unlock();
  while (handed_over_.load(std::memory_order_seq_cst) && TryLock()) {
    TakeQueued(/*may_act=*/true);
    const bool wake = ThreadSleepsTooLong();
    Unlock();
    if (wake) watch_.Wake();
  }
}

void Controller::Post(const Signal& signal) {
  KeepInMind(signal);
  HandOver(signal);
  // Afterwards: what boosts a collection does not wait for it.
  if (signal.kind == SignalKind::kGcBegin) gc_instructions_.Begin();
  if (signal.kind == SignalKind::kGcEnd) gc_instructions_.End();
}

void Controller::Note(const Signal& signal) {
  KeepInMind(signal);
  if (calm_.load(std::memory_order_relaxed) && queue_.Push(signal)) return;
  HandOver(signal);
}

void Controller::KeepInMind(const Signal& signal) {
  if (signal.kind == SignalKind::kEventBegin) {
    running_since_.store(Ticks(), std::memory_order_relaxed);
  } else if (signal.kind == SignalKind::kLoopIdle) {
    running_since_.store(0, std::memory_order_relaxed);
  } else if (signal.kind == SignalKind::kLoopBusy ||
             signal.kind == SignalKind::kGcBegin) {
    evasion_.Avoid(sched_getcpu());
  }
}

void Controller::HandOver(const Signal& signal) {
  if (!TryLock()) {
    if (!queue_.Push(signal)) dropped_.fetch_add(1, std::memory_order_relaxed);
    // Release: who finds it set finds the signal.
    handed_over_.store(true, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!TryLock()) return;  // its holder will see the queue
    TakeQueued(act_inline_);
  } else {
    TakeQueued(act_inline_);
    Take(signal, signal.now_ns, act_inline_);
  }
  const bool wake = ThreadSleepsTooLong();
  // Release is enough: only this thread fills the queue.
  locked_.store(0, std::memory_order_release);
  // A system call, in which the loop may lose the processor for milliseconds:
  // not under the lock.
  if (wake) watch_.Wake();
}

void Controller::TakeQueued(bool may_act) {
  const bool handed_over = handed_over_.load(std::memory_order_relaxed);
  if (handed_over) {
    // Before the queue is read: what is handed over from now on sets it again.
    handed_over_.exchange(false, std::memory_order_seq_cst);
  }
  // What comes meanwhile waits for the next time: there is no end to it. All
  // that the loop has left before one of these begins is in the queue by now,
  // and all begins before one of the queue's in theirs.
  uint32_t begins = begins_.Size();
  for (uint32_t left = queue_.Size(); left > 0; --left) {
    const Signal signal = queue_.Front();
    queue_.Pop();
    const uint32_t taken = TakeBegins(begins_.Size(), signal.now_ns, may_act);
    begins -= std::min(begins, taken);
    Take(signal, signal.now_ns, may_act);
  }
  TakeBegins(begins, kNever, may_act);
  if (!handed_over) return;  // then nothing was dropped
  const uint64_t dropped = dropped_.load(std::memory_order_relaxed);
  if (std::exchange(told_dropped_, dropped) != dropped) {
    const int64_t now_ns = MonotonicTickNs();
    Take({.kind = SignalKind::kSignalsLost, .now_ns = now_ns}, now_ns, may_act);
  }
}

// At most so many, of before that time; returns how many.
uint32_t Controller::TakeBegins(uint32_t most, int64_t until_ns, bool may_act) {
  int64_t last_ns = kNever;
  uint32_t taken = 0;
  for (; taken < most; ++taken) {
    const int64_t now_ns = TickNs(begins_.Front());
    if (now_ns >= until_ns) break;
    begins_.Pop();
    policy_->On({.kind = SignalKind::kEventBegin, .now_ns = now_ns});
    last_ns = now_ns;
  }
  // In the calm a begin changes nothing that the policy wants.
  if (taken > 0 && !calm_.load(std::memory_order_relaxed)) {
    Decide(last_ns, last_ns, may_act);
  }
  return taken;
}

void Controller::Take(const Signal& signal, int64_t cause_ns, bool may_act) {
  switch (signal.kind) {
    case SignalKind::kLoopBusy:
      if (const int64_t rest_ns = signal.now_ns - idle_since_ns_;
          rest_ns > kRestNs) {
        budget_.Rested(rest_ns);
      }
      busy_ = true;
      last_seen_queue_ns_ = signal.now_ns;
      break;
    case SignalKind::kLoopIdle:
      busy_ = false;
      idle_since_ns_ = signal.now_ns;
      EndLostCollection(signal.now_ns);
      break;
    case SignalKind::kGcBegin:
      EndLostCollection(signal.now_ns);
      collecting_ = true;
      break;
    case SignalKind::kGcEnd:
      collecting_ = false;
      break;
    default:
      break;
  }
  policy_->On(signal);
  Decide(signal.now_ns, cause_ns, may_act);
}

// No collection lasts while the loop waits, nor until the next one: its end was
// dropped.
void Controller::EndLostCollection(int64_t now_ns) {
  if (!std::exchange(collecting_, false)) return;
  policy_->On({.kind = SignalKind::kGcEnd, .now_ns = now_ns});
}

// Nothing is boosted, nothing waits to be, and no deadline is older than the
// running event.
void Controller::FindCalm() {
  const bool calm = patience_ns_ > 0 && held_.level == Level::kLow &&
                    !act_waits_ && !collecting_;
  if (calm == calm_.load(std::memory_order_relaxed)) return;
  calm_.store(calm, std::memory_order_relaxed);
  // Before a look at when the thread comes: see RestTurn().
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Controller::Decide(int64_t now_ns, int64_t cause_ns, bool may_act) {
  Follow(policy_->want(), now_ns, cause_ns, may_act);
  FindCalm();
}

void Controller::Follow(Want want, int64_t now_ns, int64_t cause_ns,
                        bool may_act) {
  if (want.level > held_.level) {
    lower_at_ns_ = kNever;
    if (may_act) {
      Change(want, now_ns, act_waits_ ? act_cause_ns_ : cause_ns);
    } else if (!act_waits_) {
      act_waits_ = true;
      act_cause_ns_ = cause_ns;
    }
    return;
  }
  act_waits_ = false;
  if (want.level == held_.level) {
    lower_at_ns_ = kNever;
    if (want.reason != held_.reason) Account(now_ns);
    held_ = want;
    return;
  }
  if (now_ns >= hold_until_ns_ && may_act) {
    Change(want, now_ns, cause_ns);
  } else {
    lower_at_ns_ = std::max(now_ns, hold_until_ns_);
  }
}

void Controller::Change(Want want, int64_t now_ns, int64_t cause_ns) {
  act_waits_ = false;
  lower_at_ns_ = kNever;
  if (const absl::Status status = actuator_->Set(want.level); !status.ok()) {
    ++stats_.set_errors;
    stats_.last_error = std::string(status.message());
  }
  Account(now_ns);
  ProbeChange(want, held_);
  if (want.level > held_.level) {
    ControllerStats::OfReason& reason =
        stats_.reasons[static_cast<size_t>(want.reason)];
    ++reason.boosts;
    reason.reaction.Add(MonotonicTickNs() - cause_ns);
    hold_until_ns_ = now_ns + dwell_ns_;
  }
  held_ = want;
}

// The time until now belongs to the level that was held, and to the reason that
// raised it.
void Controller::Account(int64_t now_ns) {
  const int64_t ns = std::max<int64_t>(0, now_ns - since_ns_);
  stats_.residency[static_cast<size_t>(held_.level)] += ns;
  if (held_.level != Level::kLow) {
    stats_.reasons[static_cast<size_t>(held_.reason)].boosted_ns += ns;
  }
  since_ns_ = std::max(since_ns_, now_ns);
}

int64_t Controller::NextWakeNs() const {
  if (act_waits_) return 0;
  return std::min(policy_->next_deadline_ns(), lower_at_ns_);
}

// Only what lies before the thread's own time needs a system call; once is
// enough. The thread that finds it so itself does not fall asleep.
bool Controller::ThreadSleepsTooLong() {
  if (NextWakeNs() >= armed_ns_.load(std::memory_order_relaxed)) return false;
  armed_ns_.store(0, std::memory_order_relaxed);
  return true;
}

}  // namespace edgewise
