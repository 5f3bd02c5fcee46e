#include "boost/controller.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "platform/clock.h"
#include "platform/termination.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

// An actuator that keeps its caller longer is called by the thread: a system
// call and its way into the driver should not be the loop's.
constexpr int64_t kInlineCallNs = 5'000;

// How soon a signal that ends the process is noticed.
constexpr int64_t kLongestSleepNs = 20'000'000;

// While the loop runs, and for a moment after, the thread comes back so often
// that no policy's deadline lies before its next turn: to be woken for one
// would cost the loop a system call for each wait.
constexpr int64_t kLingerNs = 1'000'000;
constexpr int64_t kLingeringPauseNs = 400'000;

// A loop that something wakes runs its first event by then.
constexpr int64_t kWakeUpNs = 64'000;

// The thread's shortest sleep.
constexpr int64_t kLeastPauseNs = 20'000;

}  // namespace

Controller::Controller(std::unique_ptr<Policy> policy,
                       std::unique_ptr<Actuator> actuator,
                       ControllerConfig config)
    : config_(std::move(config)),
      policy_(std::move(policy)),
      actuator_(std::move(actuator)),
      act_inline_(actuator_->call_ns() <= kInlineCallNs),
      dwell_ns_(config_.dwell_ns.value_or(2 * actuator_->transition_ns())),
      looks_(config_.look_fd >= 0 && policy_->watches_queue()),
      budget_(config_.look_share),
      watch_(looks_ ? config_.look_fd : -1) {
  stats_.policy = policy_->name();
  stats_.actuator = actuator_->name();
  stats_.description = actuator_->description();
  stats_.frequencies = actuator_->frequencies();
  began_ns_ = since_ns_ = MonotonicTickNs();
  spent_before_ = actuator_->residency().value_or(Residency{});
  // The level of the policy that wants one from the start, or the lowest: what
  // the processor did before may have been neither.
  Change(policy_->want(), began_ns_, began_ns_);
  BeginTerminationWatch();
  thread_ = StartHelperThread("edgewise-boost", [this] { Run(); });
}

Controller::~Controller() { Stop(); }

void Controller::Stop() {
  if (!thread_.joinable()) return;
  stopping_.store(true, std::memory_order_release);
  watch_.Wake();
  thread_.join();
  EndTerminationWatch();
  Lock();
  Finish();
  Unlock();
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

// Not the loop's thread: its holder may have lost the processor.
void Controller::Lock() {
  for (int tries = 0; !TryLock(); ++tries) {
    if (tries > 100) SleepNs(10'000);
  }
}

void Controller::Unlock() {
  // Release, and a full barrier before a look at the queue: the loop pushes,
  // then tries the lock.
  locked_.exchange(0, std::memory_order_seq_cst);
}

// And then what the loop has queued meanwhile, which it leaves to the lock's
// holder.
void Controller::UnlockAndTakeQueued() {
  Unlock();
  while (!queue_.Empty() && TryLock()) {
    TakeQueued(/*may_act=*/true);
    const bool wake = ThreadSleepsTooLong();
    Unlock();
    if (wake) watch_.Wake();
  }
}

void Controller::Post(const Signal& signal) {
  HandOver(signal);
  // Afterwards: what boosts a collection does not wait for it.
  if (signal.kind == SignalKind::kGcBegin) gc_instructions_.Begin();
  if (signal.kind == SignalKind::kGcEnd) gc_instructions_.End();
}

void Controller::HandOver(const Signal& signal) {
  if (signal.kind == SignalKind::kLoopBusy) {
    loop_cpu_.store(sched_getcpu(), std::memory_order_relaxed);
  }
  if (!TryLock()) {
    if (!queue_.Push(signal)) dropped_.fetch_add(1, std::memory_order_relaxed);
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
  Signal signal;
  while (queue_.Pop(&signal)) Take(signal, signal.now_ns, may_act);
}

void Controller::Take(const Signal& signal, int64_t cause_ns, bool may_act) {
  switch (signal.kind) {
    case SignalKind::kLoopBusy:
      busy_ = true;
      last_seen_queue_ns_ = signal.now_ns;
      break;
    case SignalKind::kLoopIdle:
      busy_ = false;
      idle_since_ns_ = signal.now_ns;
      // No collection lasts while the loop waits: its end was dropped.
      if (std::exchange(collecting_, false)) {
        policy_->On({.kind = SignalKind::kGcEnd, .now_ns = signal.now_ns});
      }
      break;
    case SignalKind::kGcBegin:
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

void Controller::Decide(int64_t now_ns, int64_t cause_ns, bool may_act) {
  const Want want = policy_->want();
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
  if (NextWakeNs() >= armed_ns_) return false;
  armed_ns_ = 0;
  return true;
}

void Controller::Run() {
  UsePreciseSleep();
  UseRealTimePriority();
  LeaveCpu(config_.avoid_cpu);
  auto arrival = QueueWatch::Arrival::kNone;
  while (!stopping_.load(std::memory_order_acquire)) {
    if (TerminationPending() && !terminated_) {
      terminated_ = true;
      FinishForTermination();
    }
    const int64_t wake_ns = Turn(arrival);
    const int64_t now_ns = MonotonicTickNs();
    arrival = watch_.Sleep(std::min(wake_ns, now_ns + kLongestSleepNs) - now_ns,
                           looks_ && now_ns >= budget_.listens_from_ns());
  }
}

// What is due now, and a look at what has become ready; returns when to come
// again.
int64_t Controller::Turn(QueueWatch::Arrival arrival) {
  // A real-time thread takes the processor that it woke on last time.
  evasion_.Leave(loop_cpu_.load(std::memory_order_relaxed));
  const bool again = std::exchange(looks_again_, false);
  const bool look = again || arrival != QueueWatch::Arrival::kNone;
  // Nothing had come before what has ended the sleep.
  const int64_t came_ns =
      arrival == QueueWatch::Arrival::kNow ? MonotonicTickNs() : 0;
  Lock();
  TakeQueued(/*may_act=*/true);
  TakeDeadline();
  Unlock();
  // System calls: not under the lock.
  const int ready = look ? watch_.CountReady() : -1;
  const int64_t spent_ns = ThreadCpuNs();

  Lock();
  TakeQueued(/*may_act=*/true);
  const int64_t now_ns = MonotonicTickNs();
  if (ready >= 0 && busy_) {
    last_seen_queue_ns_ = std::max(last_seen_queue_ns_, came_ns);
    TakeLook(static_cast<uint32_t>(ready), now_ns);
  } else {
    // The loop is waking up for the first of them: of the others nobody would
    // tell until it asks again.
    looks_again_ = ready > 1 && !again;
  }
  TakeDeadline();
  budget_.Turn(now_ns, spent_ns, look);
  stats_.cpu_ns = spent_ns;
  armed_ns_ = NextWakeNs();
  // What a policy wants at a time that is past it would have wanted by now.
  if (armed_ns_ > 0) armed_ns_ = std::max(armed_ns_, now_ns + kLeastPauseNs);
  if (looks_ && (busy_ || now_ns - idle_since_ns_ < kLingerNs)) {
    armed_ns_ = std::min(armed_ns_, now_ns + kLingeringPauseNs);
  }
  if (looks_again_) armed_ns_ = std::min(armed_ns_, now_ns + kWakeUpNs);
  if (looks_ && budget_.listens_from_ns() > now_ns) {
    armed_ns_ = std::min(armed_ns_, budget_.listens_from_ns());
  }
  const int64_t wake_ns = armed_ns_;
  UnlockAndTakeQueued();
  return wake_ns;
}

// The deadline that has passed, or a change that waited for this thread.
void Controller::TakeDeadline() {
  const int64_t now_ns = MonotonicTickNs();
  const int64_t deadline_ns = policy_->next_deadline_ns();
  if (now_ns >= deadline_ns) {
    Take({.kind = SignalKind::kDeadline, .now_ns = now_ns}, deadline_ns,
         /*may_act=*/true);
  } else {
    Decide(now_ns, now_ns, /*may_act=*/true);
  }
}

// The loop's ready files are the events that are ready and have not begun.
void Controller::TakeLook(uint32_t ready, int64_t now_ns) {
  ++stats_.looks;
  const int64_t before_ns = std::exchange(last_seen_queue_ns_, now_ns);
  const Level before = held_.level;
  Take({.kind = SignalKind::kQueueLength, .value = ready, .now_ns = now_ns},
       before_ns, /*may_act=*/true);
  budget_.Looked(/*raised=*/held_.level > before);
}

// The process is about to die of a signal: the loop goes on meanwhile, at the
// frequency that was there before.
void Controller::FinishForTermination() {
  Lock();
  Finish();
  Unlock();
  TerminationFinished();
}

// Under the lock, once; the loop does not wait for it.
void Controller::Finish() {
  if (finished_) return;
  finished_ = true;
  const ControllerStats stats = StatsLocked();
  actuator_->Restore();
  WriteStats(stats);
}

ControllerStats Controller::StatsLocked() {
  const int64_t now_ns = MonotonicTickNs();
  Account(now_ns);
  ControllerStats stats = stats_;
  stats.elapsed_ns = now_ns - began_ns_;
  // What the processor did, not only what was asked for.
  if (const std::optional<Residency> spent = actuator_->residency()) {
    for (size_t i = 0; i < kLevels; ++i) {
      stats.residency[i] = (*spent)[i] - spent_before_[i];
    }
  }
  stats.dropped_signals = dropped_.load(std::memory_order_relaxed);
  stats.measured_uj = energy_.ReadUj();
  stats.energy_unavailable = energy_.unavailable();
  stats.gc = gc_instructions_.sums();
  stats.gc_counters_unavailable = gc_instructions_.unavailable();
  return stats;
}

void Controller::WriteStats(const ControllerStats& stats) {
  if (config_.stats_path.empty()) return;
  const std::string json = ToJson(stats);
  const int file = open(config_.stats_path.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto size = static_cast<ssize_t>(json.size());
  if (file < 0 || write(file, json.data(), json.size()) != size) {
    fprintf(stderr, "edgewise: cannot write %s: %s\n",
            config_.stats_path.c_str(), strerror(errno));
  }
  if (file >= 0) close(file);
}

}  // namespace edgewise
