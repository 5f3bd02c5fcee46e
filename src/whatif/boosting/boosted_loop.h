#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "boost/energy.h"
#include "boost/level.h"
#include "boost/look_budget.h"
#include "boost/policy.h"
#include "boost/signal.h"
#include "whatif/simulation/pace.h"

namespace edgewise {

// How late something comes, ns: a lognormal distribution.
struct Lateness {
  double median_ns = 0;
  double p99_ns = 0;
};

// The processor and the controller that a simulated loop is boosted by. The
// defaults are what was measured of the emulated one (docs/boost-results.md).
struct BoostMachine {
  Frequencies frequencies{2'600'000, 3'300'000, 4'000'000};
  // How fast the loop runs at each level; 1: as it was recorded.
  std::array<double, kLevels> speeds{0.65, 0.825, 1};
  int64_t transition_ns = 0;  // what policies are told
  int64_t rise_ns = 0;        // from the actuator's call until it runs faster
  int64_t fall_ns = 15'800;   // or slower
  Lateness deadline{30'800, 72'500};  // of the controller's thread
  Lateness look{6'800, 23'100};
  int64_t look_cost_ns = 40'000;  // of a processor
  double look_share = 0.25;
};

// What became of a simulated loop's processor.
struct BoostCounts {
  Residency residency{};
  uint64_t boosts = 0;       // raises that were asked for
  uint64_t transitions = 0;  // of the processor
  uint64_t deadlines = 0;
  uint64_t looks = 0;
};

// Runs a policy over a simulated loop: tells it what hooks and controller would
// tell it, and changes the speed of what runs as it asks. Waiting for others is
// as long as ever.
class BoostedLoop : public Pace {
 public:
  // Residencies are those from `counts_from_ns` on. Equal seeds are equally
  // late.
  BoostedLoop(std::unique_ptr<Policy> policy, const BoostMachine& machine,
              int64_t counts_from_ns, uint64_t seed);

  void Begin(ReadyEvents* ready) override { ready_ = ready; }
  void LoopIdle(int64_t now_ns) override;
  void LoopBusy(int64_t now_ns, uint32_t events, bool slept) override;
  void EventBegin(int64_t now_ns) override;
  void RequestBegin(int64_t now_ns, uint32_t request, uint32_t route) override;
  void RequestEnd(int64_t now_ns, uint32_t request) override;
  void CollectionBegin(int64_t now_ns, GcType type) override;
  void CollectionEnd(int64_t now_ns) override;
  int64_t Run(int64_t now_ns, double run_ns, double before_ns,
              std::vector<Leg>* legs) override;
  int64_t Stop(int64_t now_ns, int64_t ns) override;

  // Nothing happens until then; what became of it.
  BoostCounts Finish(int64_t end_ns);

 private:
  void Tell(Signal signal);
  void Decide();
  void Ask(Level level);
  void PassTo(int64_t until_ns);
  int64_t NextNs() const;
  void Spend(int64_t until_ns);
  void PlanDeadline();
  void PlanLook();
  void LookNow();
  int64_t Draw(const Lateness& lateness);
  double speed() const { return machine_.speeds[static_cast<size_t>(held_)]; }

  const std::unique_ptr<Policy> policy_;
  const BoostMachine machine_;
  const int64_t counts_from_ns_;
  const bool watches_loop_;
  const bool looks_;
  std::minstd_rand random_;
  std::normal_distribution<double> normal_;
  LookBudget budget_;
  ReadyEvents* ready_ = nullptr;
  BoostCounts counts_;

  int64_t now_ns_ = 0;
  bool busy_ = false;
  int64_t idle_since_ns_ = 0;
  int64_t arrival_ns_ =
      0;  // of the batch, if the loop slept until then; else 0
  Level asked_ = Level::kLow;
  Level held_ = Level::kLow;
  int64_t change_at_ns_ = kNever;  // what is asked for holds
  int64_t hold_until_ns_ = 0;      // not lowered before
  int64_t lower_at_ns_ = kNever;
  int64_t deadline_ns_ = kNever;  // the policy's
  int64_t due_ns_ = kNever;       // when the thread comes for it
  int64_t coming_ns_ = kNever;    // what the next look is for
  int64_t look_at_ns_ = kNever;
};

}  // namespace edgewise
