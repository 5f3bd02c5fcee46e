#include "boost/actuator/thief.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/memory/memory.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// How soon a member that was killed is missed.
constexpr int64_t kLookAroundNs = 20'000'000;
// A debt of so many periods is no lateness of ours: the whole machine stood
// still, and the loop with it.
constexpr double kDebtPeriods = 2;
constexpr double kLatenessWeight = 1.0 / 16;
// Expecting more would leave no time to sleep.
constexpr double kMostLateNs = 50'000;
// More than this was not the thief alone.
constexpr int64_t kMostOverheadNs = 60'000;

absl::Status MakeRealtime(const HelperThread& thread, int cpu) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(cpu, &only);
  int error =
      pthread_setaffinity_np(thread.native_handle(), sizeof(only), &only);
  if (error != 0) {
    return absl::ErrnoToStatus(error, "emulated: cannot bind its thread");
  }
  const sched_param param{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  error = pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &param);
  if (error == EPERM && geteuid() == 0) {
    return absl::PermissionDeniedError(
        "emulated: real-time threads are not allowed in this control group. "
        "Next step: run it in another one, or give this one "
        "cpu.rt_runtime_us, or the container CAP_SYS_NICE");
  }
  if (error == EPERM) {
    return absl::PermissionDeniedError(
        "emulated: real-time threads are not allowed to this user. Next step: "
        "run as root, or with CAP_SYS_NICE, or raise the limit (ulimit -r 1)");
  }
  return error == 0 ? absl::OkStatus()
                    : absl::ErrnoToStatus(error, "emulated: SCHED_FIFO");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thief>> Thief::Start(EmulatedDomain* domain,
                                                    const Shares& shares,
                                                    int cpu) {
  std::unique_ptr<Thief> thief =
      absl::WrapUnique(new Thief(domain, shares, cpu));
  auto thread =
      HelperThread::Start("edgewise-thief", [it = thief.get()] { it->Run(); });
  if (!thread.ok()) return thread.status();
  thief->thread_ = *std::move(thread);
  const absl::Status realtime = MakeRealtime(thief->thread_, cpu);
  if (!realtime.ok()) return realtime;
  return thief;
}

Thief::~Thief() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_relaxed);
  domain_->Wake();
  thread_.join();
}

void Thief::Run() {
  for (;;) {
    // Before the look at stop_: the destructor's Wake() must not be slept over.
    const uint32_t changes = domain_->changes();
    if (stop_.load(std::memory_order_relaxed)) return;
    const int64_t now_ns = MonotonicNs();
    LookAround(now_ns);
    const double share = ShareAt(now_ns);
    if (!leads_ || share == 0) {
      StandBy(now_ns, changes);
      continue;
    }
    SleepUntilDue(share, now_ns);
    StealNow();
  }
}

// Takes over from a thief that has ended, and drops what the dead asked for.
void Thief::LookAround(int64_t now_ns) {
  if (now_ns < look_around_ns_) return;
  look_around_ns_ = now_ns + kLookAroundNs;
  domain_->ForgetTheDead();
  if (leads_) return;
  leads_ = domain_->LeadOn(cpu_);
  // What was due before, another thief has stolen.
  if (leads_) stolen_ns_ += DebtNs(now_ns);
}

double Thief::ShareAt(int64_t now_ns) {
  if (domain_->version() != version_) {
    const uint32_t version = domain_->version();
    // A writer that this thread keeps from its processor cannot finish: then
    // the timeline before holds a little longer.
    if (domain_->Read(&timeline_)) version_ = version;
  }
  return shares_[static_cast<size_t>(timeline_.At(now_ns))];
}

double Thief::DebtNs(int64_t now_ns) {
  ShareAt(now_ns);
  return timeline_.DueNs(shares_, now_ns) - stolen_ns_;
}

// Nothing to steal: until the level changes, or (when others share it) until it
// is time to see whether they live.
void Thief::StandBy(int64_t now_ns, uint32_t changes) {
  int64_t until_ns = timeline_.switch_ns();
  if (until_ns <= now_ns) until_ns = FrequencyTimeline::kNoTime;
  if (domain_->shared()) until_ns = std::min(until_ns, look_around_ns_);
  domain_->WaitForChange(changes, until_ns);
  // Waking costs the loop as much as a steal's beginning and end.
  if (leads_) stolen_ns_ += static_cast<double>(domain_->overhead_ns());
}

// Until what became due in the meantime fills the period's portion.
void Thief::SleepUntilDue(double share, int64_t now_ns) {
  const double limit_ns = kDebtPeriods * share * kPeriodNs;
  const double debt_ns = DebtNs(now_ns);
  stolen_ns_ += debt_ns - std::clamp(debt_ns, -limit_ns, limit_ns);
  const double portion_ns = share * (1 - share) * kPeriodNs;
  const double pause_ns = (portion_ns - DebtNs(now_ns)) / share - lateness_ns_;
  if (pause_ns <= 0) return;
  const int64_t until_ns = now_ns + static_cast<int64_t>(pause_ns);
  const timespec until = TimespecOf(until_ns);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  const auto late_ns = static_cast<double>(MonotonicNs() - until_ns);
  lateness_ns_ +=
      kLatenessWeight * (std::min(late_ns, kMostLateNs) - lateness_ns_);
}

// Looks at the level all the time: a boost takes effect in the middle of it.
void Thief::StealNow() {
  const int64_t begin_ns = MonotonicNs();
  const auto overhead_ns = static_cast<double>(domain_->overhead_ns());
  int64_t now_ns = begin_ns;
  while (ShareAt(now_ns) > 0 && !stop_.load(std::memory_order_relaxed) &&
         DebtNs(now_ns) >
             overhead_ns + static_cast<double>(now_ns - begin_ns)) {
    now_ns = MonotonicNs();
  }
  stolen_ns_ += overhead_ns + static_cast<double>(now_ns - begin_ns);
  last_steal_ns_.store(now_ns - begin_ns, std::memory_order_relaxed);
  steals_.fetch_add(1, std::memory_order_relaxed);
}

// What a steal costs changes with what else runs on the core: a look of a few
// ms would take a slow phase for the rule. On a busy processor most gaps may be
// others' as well: one of the shortest of all looks counts.
void Thief::MeasureOverhead() {
  constexpr int kLooks = 5;
  constexpr int64_t kPauseNs = 10'000'000;
  if (domain_->overhead_ns() != 0) return;
  std::vector<int64_t> overheads;
  for (int i = 0; i < kLooks; ++i) {
    if (i > 0) SleepNs(kPauseNs);
    LookAtSteals(&overheads);
  }
  if (overheads.empty()) return;
  const auto short_one = overheads.begin() + overheads.size() / 10;
  std::nth_element(overheads.begin(), short_one, overheads.end());
  domain_->SetOverhead(std::clamp(*short_one, int64_t{0}, kMostOverheadNs));
}

// A thread that only reads the clock sees each steal as a gap.
void Thief::LookAtSteals(std::vector<int64_t>* overheads) const {
  constexpr size_t kSteals = 8;
  constexpr int64_t kLongestNs = 200 * kPeriodNs;
  const size_t enough = overheads->size() + kSteals;
  uint32_t steals = steals_.load(std::memory_order_relaxed);
  int64_t last_ns = MonotonicNs();
  const int64_t until_ns = last_ns + kLongestNs;
  while (overheads->size() < enough && last_ns < until_ns) {
    // The steal may come before or after the reading of the clock: what was
    // read before that, and another reading, have it between them.
    int64_t now_ns = MonotonicNs();
    const uint32_t seen = steals_.load(std::memory_order_relaxed);
    if (seen != steals) {
      now_ns = MonotonicNs();
      if (seen == steals + 1) {
        overheads->push_back(now_ns - last_ns -
                             last_steal_ns_.load(std::memory_order_relaxed));
      }
    }
    steals = seen;
    last_ns = now_ns;
  }
}

}  // namespace edgewise
