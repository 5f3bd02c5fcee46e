// The part of the controller that is its thread's: deadlines, looks at the
// queue, the end.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "boost/controller.h"
#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

// While the loop runs, and for a moment after, the thread comes back so often
// that no policy's deadline lies before its next turn: to be woken for one
// would cost the loop a system call for each wait.
constexpr int64_t kLingerNs = 1'000'000;
constexpr int64_t kLingeringPauseNs = 400'000;

// A loop that something wakes runs its first event by then.
constexpr int64_t kWakeUpNs = 64'000;

// The thread's shortest sleep.
constexpr int64_t kLeastPauseNs = 20'000;

// What is there stays: an earlier run of this thread has left it, or another
// process that had this one's number. -1, with errno.
int CreateFile(const std::string& stem, std::string* path) {
  for (int run = 0;; ++run) {
    *path = run == 0 ? stem + ".json" : absl::StrCat(stem, ".", run, ".json");
    const int file =
        open(path->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 || errno != EEXIST) return file;
  }
}

}  // namespace

void Controller::Run() {
  UsePreciseSleep();
  UseRealTimePriority();
  LeaveCpu(config_.avoid_cpu);
  auto arrival = QueueWatch::Arrival::kNone;
  while (!stopping_.load(std::memory_order_acquire)) {
    if (termination_.Pending()) FinishForTermination();
    FollowEnergy();
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
  evasion_.Leave();
  const bool again = std::exchange(looks_again_, false);
  const bool look = again || arrival != QueueWatch::Arrival::kNone;
  // Nothing had come before what has ended the sleep.
  const int64_t came_ns =
      arrival == QueueWatch::Arrival::kNow ? MonotonicTickNs() : 0;
  if (!look) {
    if (const int64_t wake_ns = RestTurn(); wake_ns > 0) return wake_ns;
  }
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
  const int64_t turn_ns = spent_ns - std::exchange(spent_ns_, spent_ns);
  budget_.Turn(now_ns, look ? std::optional(turn_ns) : std::nullopt);
  stats_.cpu_ns = spent_ns;
  int64_t wake_ns = NextWakeNs();
  // What a policy wants at a time that is past it would have wanted by now.
  if (wake_ns > 0) wake_ns = std::max(wake_ns, now_ns + kLeastPauseNs);
  if (looks_ && (busy_ || now_ns - idle_since_ns_ < kLingerNs)) {
    wake_ns = std::min(wake_ns, now_ns + kLingeringPauseNs);
  }
  if (looks_again_) wake_ns = std::min(wake_ns, now_ns + kWakeUpNs);
  wake_ns = OrWhenItListens(wake_ns, now_ns);
  armed_ns_.store(wake_ns, std::memory_order_relaxed);
  UnlockAndTakeQueued();
  return wake_ns;
}

// A turn in which nothing has to be taken: in the calm, until an event has run
// as long as the policy has patience. It leaves the lock and the policy's
// memory to the loop's processor. Returns when to come again; 0: there is
// something to do.
int64_t Controller::RestTurn() {
  spent_ns_ = ThreadCpuNs();
  const uint64_t since = running_since_.load(std::memory_order_relaxed);
  if (since == 0 || !calm_.load(std::memory_order_relaxed)) return 0;
  const int64_t now_ns = MonotonicTickNs();
  int64_t wake_ns = TickNs(since) + patience_ns_;
  if (wake_ns <= now_ns) return 0;
  wake_ns = std::max(OrWhenItListens(wake_ns, now_ns), now_ns + kLeastPauseNs);
  armed_ns_.store(wake_ns, std::memory_order_relaxed);
  // The loop ends the calm, then looks whether this thread comes in time.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return calm_.load(std::memory_order_relaxed) ? wake_ns : 0;
}

// The thread that is deaf to what becomes ready comes when it is so no more.
int64_t Controller::OrWhenItListens(int64_t wake_ns, int64_t now_ns) const {
  const int64_t listens_from_ns = budget_.listens_from_ns();
  return looks_ && listens_from_ns > now_ns ? std::min(wake_ns, listens_from_ns)
                                            : wake_ns;
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
  Take({.kind = SignalKind::kQueueLength, .value = ready, .now_ns = now_ns},
       before_ns, /*may_act=*/true);
}

// How often a counter has wrapped since it was read last, nobody can tell.
void Controller::FollowEnergy() {
  const int64_t now_ns = MonotonicTickNs();
  if (now_ns - energy_read_ns_ < config_.energy_pause_ns) return;
  energy_read_ns_ = now_ns;
  Lock();
  energy_.ReadUj();
  UnlockAndTakeQueued();
}

// The process is about to die of a signal: the loop goes on meanwhile, at the
// frequency that was there before, and if the process lives, for good.
void Controller::FinishForTermination() {
  Lock();
  Finish();
  Unlock();
  termination_.Finished();
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
  if (config_.stats_stem.empty()) return;
  const std::string json = ToJson(stats);
  std::string path;
  const int file = CreateFile(config_.stats_stem, &path);
  const auto size = static_cast<ssize_t>(json.size());
  if (file < 0 || write(file, json.data(), json.size()) != size) {
    fprintf(stderr, "edgewise: cannot write %s: %s\n", path.c_str(),
            strerror(errno));
  }
  if (file >= 0) close(file);
}

}  // namespace edgewise
