#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "boost/actuator.h"
#include "boost/controller_stats.h"
#include "boost/energy.h"
#include "boost/gc_instructions.h"
#include "boost/look_budget.h"
#include "boost/loop_queue.h"
#include "boost/policy.h"
#include "boost/queue_watch.h"
#include "boost/signal.h"
#include "platform/clock.h"
#include "platform/termination.h"
#include "platform/thread.h"

namespace edgewise {

struct ControllerConfig {
  // What becomes ready while the loop is busy is looked at when it comes, as
  // long as the looks take at most this share of a processor's time: a queue of
  // an unsaturated loop takes a tenth (docs/boost.md), and bursts more.
  double look_share = 0.25;
  // A raised level is held at least so long; the default is what the policies
  // call worth it: twice the actuator's transition.
  std::optional<int64_t> dwell_ns = std::nullopt;
  // The loop's epoll, whose ready files are the queue; -1: not looked at.
  int look_fd = -1;
  // A processor that the controller's thread stays away from; -1: none.
  int avoid_cpu = -1;
  // The energy counters are read so often, before they have wrapped around.
  int64_t energy_pause_ns = 60'000'000'000;
  std::string root = "";  // prefix of /sys, for tests
  // Its statistics go to this with .json added, when it stops and when a signal
  // ends the process; with .1.json and so on where there are others. Empty:
  // nowhere.
  std::string stats_stem = "";
};

// Carries out a policy for one event loop (VEE'19 sections 6 and 7).
//
// The loop posts signals; the policy runs at once on the loop's thread, a few
// tens of nanoseconds, and the actuator too where a call of it is cheap. What
// must happen at a time (the running event passed its threshold) or outside the
// loop (a look at the queue, a dear actuator) is the controller's thread's. It
// sleeps until the next deadline, which it reads when it wakes: an event that
// ends before its deadline has cost no system call.
//
// One lock serves both threads. The loop never waits for it: what it cannot
// hand over goes to a queue that the holder empties. In the calm, while the
// level is low and the policy has patience, what only says how the loop gets on
// stays in a queue until the next signal that may raise it, or until an event
// has run so long that the policy wants to know: a saturated loop takes the
// lock once a batch, and an event costs it a read of the clock and two stores.
class Controller {
 public:
  // Starts the thread; the calling one is the loop's. Time is
  // MonotonicTickNs() (platform/clock.h).
  Controller(std::unique_ptr<Policy> policy, std::unique_ptr<Actuator> actuator,
             ControllerConfig config);

  // Whether there is a thread, and else why not: nothing is boosted then.
  const absl::Status& started() const { return started_; }

  // Stops as Stop() does.
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Loop thread. Never waits, allocates or throws.
  void Post(const Signal& signal);

  // The same for a signal that does not raise the level by itself: the policy
  // may get it later, before the next that is posted.
  void Note(const Signal& signal);

  // Notes that an event begins, at Ticks(): the one before it has ended.
  void NoteBegin(uint64_t ticks) {
    if (!calm_.load(std::memory_order_relaxed) || !begins_.Push(ticks)) {
      Post({.kind = SignalKind::kEventBegin, .now_ns = TickNs(ticks)});
      return;
    }
    running_since_.store(ticks, std::memory_order_relaxed);
  }

  // Ends the thread, restores the frequency, writes the statistics. Idempotent.
  void Stop();

  // Any thread but the loop's signal path: waits for the lock.
  ControllerStats stats();

 private:
  // How soon a signal that ends the process is noticed.
  static constexpr int64_t kLongestSleepNs = 20'000'000;

  bool TryLock();
  void Lock();
  void Unlock();
  void UnlockAndTakeQueued();
  void KeepInMind(const Signal& signal);
  void HandOver(const Signal& signal);
  void TakeQueued(bool may_act);
  uint32_t TakeBegins(uint32_t most, int64_t until_ns, bool may_act);
  void Take(const Signal& signal, int64_t cause_ns, bool may_act);
  void EndLostCollection(int64_t now_ns);
  void Decide(int64_t now_ns, int64_t cause_ns, bool may_act);
  void Follow(Want want, int64_t now_ns, int64_t cause_ns, bool may_act);
  void Change(Want want, int64_t now_ns, int64_t cause_ns);
  void Account(int64_t now_ns);
  void FindCalm();
  int64_t NextWakeNs() const;
  bool ThreadSleepsTooLong();

  void Run();
  int64_t Turn(QueueWatch::Arrival arrival);
  int64_t RestTurn();
  int64_t OrWhenItListens(int64_t wake_ns, int64_t now_ns) const;
  void TakeDeadline();
  void TakeLook(uint32_t ready, int64_t now_ns);
  void FollowEnergy();
  void FinishForTermination();
  void Finish();
  void WriteStats(const ControllerStats& stats);
  ControllerStats StatsLocked();

  const ControllerConfig config_;

  // The lock: 1 while held. Either thread writes it.
  std::atomic<uint32_t> locked_{0};
  LoopQueue<Signal, 256> queue_;
  // Ticks of kEventBegin; few, since a collection's boost waits until the
  // policy has got them.
  LoopQueue<uint64_t, 32> begins_;
  std::atomic<bool> handed_over_{false};  // to the holder, by the queue
  std::atomic<uint64_t> dropped_{0};      // loop writes; relaxed: a count

  // The loop need not hand over what it notes. Written under the lock; relaxed:
  // what it notes too late or too early is taken all the same.
  std::atomic<bool> calm_{false};
  // Ticks since which its event runs; 0: none does. The loop writes; relaxed:
  // the thread only finds out when to come again.
  std::atomic<uint64_t> running_since_{0};
  // The thread sleeps until then; 0: it was woken. Under the lock, but for the
  // thread in the calm.
  std::atomic<int64_t> armed_ns_{0};

  GcInstructions gc_instructions_;

  // Under the lock.
  const std::unique_ptr<Policy> policy_;
  const std::unique_ptr<Actuator> actuator_;
  const int64_t patience_ns_;
  const bool act_inline_;  // Set() is cheap enough for the loop's thread
  const int64_t dwell_ns_;
  const bool looks_;  // the policy wants to know the queue, and it can be seen
  EnergyCounters energy_;
  Want held_;                     // what the actuator was asked for
  int64_t since_ns_ = 0;          // until here residencies are accounted
  int64_t hold_until_ns_ = 0;     // not lowered before
  int64_t lower_at_ns_ = kNever;  // a lowering that waits for that
  int64_t act_cause_ns_ = 0;  // a raise that waits for the thread: its cause
  bool act_waits_ = false;
  bool busy_ = false;          // the loop runs events
  bool collecting_ = false;    // a collection runs
  uint64_t told_dropped_ = 0;  // of dropped_, to the policy
  int64_t idle_since_ns_ = 0;
  int64_t last_seen_queue_ns_ = 0;  // the queue's length was known then
  bool finished_ = false;
  int64_t began_ns_ = 0;
  Residency spent_before_{};  // of the actuator, when this began
  ControllerStats stats_;

  LookBudget budget_;

  // The thread's own.
  int64_t energy_read_ns_ = 0;
  int64_t spent_ns_ = 0;      // of a processor, until its last turn
  bool looks_again_ = false;  // soon: the loop had yet to wake up
  Evasion evasion_;           // where the loop last woke

  QueueWatch watch_;
  std::atomic<bool> stopping_{false};
  TerminationWatch termination_;
  absl::Status started_;
  HelperThread thread_;
};

}  // namespace edgewise
