#include "boost/actuator/uclamp_actuator.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "boost/frequency_domain.h"
#include "boost/sysfs.h"
#include "boost/transition.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr uint32_t kCapacity = 1024;

// The kernel's sched_attr, of which C libraries have different versions or
// none.
struct SchedAttributes {
  uint32_t size = sizeof(SchedAttributes);
  uint32_t policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;
  uint64_t deadline = 0;
  uint64_t period = 0;
  uint32_t clamp_min = 0;
  uint32_t clamp_max = 0;
};
static_assert(sizeof(SchedAttributes) == 56, "SCHED_ATTR_SIZE_VER1");

// SCHED_FLAG_KEEP_POLICY | SCHED_FLAG_KEEP_PARAMS | SCHED_FLAG_UTIL_CLAMP_MIN
constexpr uint64_t kOnlyClampMin = 0x08 | 0x10 | 0x20;

// 0, or the errno.
int SetClampMin(pid_t tid, uint32_t utilization) {
  SchedAttributes attributes;
  attributes.flags = kOnlyClampMin;
  attributes.clamp_min = utilization;
  return syscall(SYS_sched_setattr, tid, &attributes, 0) == 0 ? 0 : errno;
}

absl::StatusOr<uint32_t> ClampMin(pid_t tid) {
  SchedAttributes attributes;
  if (syscall(SYS_sched_getattr, tid, &attributes, sizeof(attributes), 0) !=
      0) {
    return ErrnoStatus(errno, absl::StrCat("uclamp of thread ", tid));
  }
  return attributes.clamp_min;
}

class UclampActuator : public Actuator {
 public:
  UclampActuator(pid_t tid, uint32_t clamp_before,
                 const std::vector<FrequencyDomain>& domains,
                 const Frequencies& frequencies)
      : tid_(tid), frequencies_(frequencies) {
    const auto mid = static_cast<uint32_t>(uint64_t{kCapacity} *
                                           frequencies[1] / frequencies.back());
    clamps_ = {clamp_before, std::max(clamp_before, mid), kCapacity};
    description_ = absl::StrCat("uclamp (thread ", tid, ", governor schedutil)",
                                " on ", CpusOf(domains));
  }
  ~UclampActuator() override { Restore(); }
  UclampActuator(const UclampActuator&) = delete;
  UclampActuator& operator=(const UclampActuator&) = delete;

  absl::Status Measure(const FrequencyDomain& first, int64_t driver_ns) {
    const std::string shown = first.path + "/scaling_cur_freq";
    const TransitionProbes probes = ProbesOfThisThread(
        [&](Level level) { return Write(level); },
        [&] { return static_cast<uint32_t>(ReadNumber(shown).value_or(0)); });
    absl::StatusOr<Timing> timing =
        MeasureTiming(probes, frequencies_, driver_ns);
    if (!timing.ok()) return timing.status();
    timing_ = *std::move(timing);
    absl::StrAppend(&description_, "; transition ",
                    timing_.transition_ns / 1000, " µs (", timing_.source, ")");
    return absl::OkStatus();
  }

  std::string_view name() const override { return "uclamp"; }
  std::string description() const override { return description_; }

  absl::Status Set(Level level) override {
    if (level == level_ || restored_) return absl::OkStatus();
    absl::Status status = Write(level);
    if (status.ok()) level_ = level;
    return status;
  }

  void Restore() override {
    if (restored_) return;
    restored_ = true;
    // Fails when the thread has ended, and its clamp with it.
    SetClampMin(tid_, clamps_.front());
  }

  int64_t call_ns() const override { return timing_.call_ns; }
  int64_t transition_ns() const override { return timing_.transition_ns; }
  Frequencies frequencies() const override { return frequencies_; }

 private:
  absl::Status Write(Level level) const {
    const int error = SetClampMin(tid_, clamps_[static_cast<size_t>(level)]);
    if (error == 0) return absl::OkStatus();
    const bool lacks = error == EOPNOTSUPP || error == EINVAL || error == E2BIG;
    return ErrnoStatus(
        error, absl::StrCat("uclamp of thread ", tid_,
                            lacks ? ": this kernel is older than 5.3 or built "
                                    "without CONFIG_UCLAMP_TASK"
                                  : ""));
  }

  pid_t tid_;
  Frequencies frequencies_;
  std::array<uint32_t, kLevels> clamps_{};
  std::string description_;
  Timing timing_;
  Level level_ = Level::kLow;
  bool restored_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Actuator>> MakeUclampActuator(
    const ActuatorConfig& config) {
  const auto domains = DomainsOfThread(config.root, config.loop_tid);
  if (!domains.ok()) return domains.status();
  const auto frequencies = ChooseFrequencies(*domains, config.frequencies);
  if (!frequencies.ok()) return frequencies.status();
  for (const FrequencyDomain& domain : *domains) {
    if (domain.governor == "schedutil") continue;
    return absl::UnavailableError(absl::StrCat(
        "uclamp: only the governor schedutil honours it, and CPU ", domain.cpus,
        " has ", domain.governor, "; next step: echo schedutil > ", domain.path,
        "/scaling_governor"));
  }
  // 0 would be whoever calls Set().
  const pid_t tid = config.loop_tid != 0 ? config.loop_tid : ThreadId();
  const absl::StatusOr<uint32_t> before = ClampMin(tid);
  if (!before.ok()) return before.status();
  auto actuator =
      std::make_unique<UclampActuator>(tid, *before, *domains, *frequencies);
  const absl::Status measured =
      actuator->Measure(domains->front(), DriverTransitionNs(*domains));
  if (!measured.ok()) return measured;
  return actuator;
}

}  // namespace edgewise
