#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/actuator/emulated_domain.h"
#include "boost/actuator/frequency_timeline.h"
#include "platform/thread.h"

namespace edgewise {

// A real-time thread on one processor that takes from everything else there
// what the domain's frequency lacks. It keeps an account of what was stolen
// against what is due, so that neither late wake-ups nor steals that a boost
// cut short change the long-run share.
class Thief {
 public:
  static constexpr int64_t kPeriodNs = 200'000;

  // `domain` outlives the thief. PermissionDenied: with the next step.
  static absl::StatusOr<std::unique_ptr<Thief>> Start(EmulatedDomain* domain,
                                                      const Shares& shares,
                                                      int cpu);
  ~Thief();

  // Measures, on the thief's processor and while it steals, what a steal costs
  // beyond what the thief sees of it: two switches and an interrupt. About 50
  // ms, most of them asleep, up to 240 on a busy processor; none when
  // another member of the domain has done so.
  void MeasureOverhead();

 private:
  Thief(EmulatedDomain* domain, const Shares& shares, int cpu)
      : domain_(domain), shares_(shares), cpu_(cpu) {}

  void Run();
  // Both read the timeline anew when there is another.
  double DebtNs(int64_t now_ns);
  double ShareAt(int64_t now_ns);
  void SleepUntilDue(double share, int64_t now_ns);
  void StealNow();
  // Adds what each of some steals costs.
  void LookAtSteals(std::vector<int64_t>* overheads) const;
  void StandBy(int64_t now_ns, uint32_t changes);
  void LookAround(int64_t now_ns);

  EmulatedDomain* const domain_;
  const Shares shares_;
  const int cpu_;
  // Relaxed: Wake() follows, which orders it.
  std::atomic<bool> stop_{false};
  // Relaxed: both are read by the thread that the steal kept from running.
  std::atomic<uint32_t> steals_{0};
  std::atomic<int64_t> last_steal_ns_{0};
  HelperThread thread_;

  // The thief's thread only.
  FrequencyTimeline timeline_;
  uint32_t version_ = 1;  // of timeline_; odd: none yet
  bool leads_ = false;
  int64_t look_around_ns_ = 0;
  double stolen_ns_ = 0;
  double lateness_ns_ = 0;  // of wake-ups, running average
};

}  // namespace edgewise
