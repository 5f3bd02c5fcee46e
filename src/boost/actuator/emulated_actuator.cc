#include "boost/actuator/emulated_actuator.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "boost/actuator/emulated_domain.h"
#include "boost/actuator/thief.h"
#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr double kLeastShare = 0.1;  // of the high frequency
constexpr int64_t kLongestDelayNs = 1'000'000'000;

class EmulatedActuator final : public Actuator {
 public:
  EmulatedActuator(Frequencies frequencies, int64_t delay_ns, pid_t loop_tid,
                   std::unique_ptr<EmulatedDomain> domain)
      : frequencies_(frequencies),
        delay_ns_(delay_ns),
        loop_tid_(loop_tid),
        domain_(std::move(domain)) {}

  ~EmulatedActuator() override { EmulatedActuator::Restore(); }

  // Binds the calling thread to its processor and begins to steal there.
  absl::Status Begin(const Shares& shares);

  std::string_view name() const override { return "emulated"; }

  std::string description() const override {
    return absl::StrCat(
        "emulated: a real-time thread on CPU ", cpu_, " steals ",
        absl::StrFormat("%.1f, %.1f and 0 %% of it at %.2f, %.2f and %.2f GHz",
                        100 * shares_[0], 100 * shares_[1],
                        frequencies_[0] / 1e6, frequencies_[1] / 1e6,
                        frequencies_[2] / 1e6),
        delay_ns_ == 0 ? "" : absl::StrCat(", ", delay_ns_ / 1000, " us late"),
        domain_->shared() ? ", one frequency for all its processes" : "",
        domain_->overhead_ns() == 0
            ? "; not calibrated: the processor was too busy"
            : absl::StrFormat(
                  "; %.1f us of a steal are its own cost",
                  static_cast<double>(domain_->overhead_ns()) / 1e3));
  }

  absl::Status Set(Level level) override {
    if (level == asked_ || thief_ == nullptr) return absl::OkStatus();
    asked_ = level;
    domain_->Ask(level);
    return absl::OkStatus();
  }

  void Restore() override {
    if (thief_ == nullptr) return;
    thief_.reset();
    domain_->Ask(Level::kLow);
    // Fails only when the thread has ended: then there is nothing to restore.
    sched_setaffinity(loop_tid_, sizeof(mask_), &mask_);
  }

  int64_t call_ns() const override { return call_ns_; }
  int64_t transition_ns() const override { return delay_ns_; }
  Frequencies frequencies() const override { return frequencies_; }

  std::optional<Residency> residency() const override {
    Residency spent = ReadResidency();
    for (size_t i = 0; i < kLevels; ++i) spent[i] -= before_[i];
    return spent;
  }

 private:
  Residency ReadResidency() const {
    return domain_->ReadNow().ResidencyAt(MonotonicNs());
  }

  void MeasureCall();

  const Frequencies frequencies_;
  const int64_t delay_ns_;
  const pid_t loop_tid_;
  const std::unique_ptr<EmulatedDomain> domain_;
  // Null after Restore(); its thread uses the domain, which outlives it.
  std::unique_ptr<Thief> thief_;
  Shares shares_{};
  int cpu_ = 0;
  cpu_set_t mask_{};
  Level asked_ = Level::kLow;  // who calls Set() only
  Residency before_{};         // of the domain, when this joined it
  int64_t call_ns_ = 0;
};

absl::Status EmulatedActuator::Begin(const Shares& shares) {
  shares_ = shares;
  cpu_ = sched_getcpu();
  if (cpu_ < 0 || sched_getaffinity(loop_tid_, sizeof(mask_), &mask_) != 0) {
    return absl::ErrnoToStatus(errno, "emulated: which CPU the loop runs on");
  }
  absl::StatusOr<std::unique_ptr<Thief>> thief =
      Thief::Start(domain_.get(), shares, cpu_);
  if (!thief.ok()) return thief.status();
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(cpu_, &only);
  if (sched_setaffinity(loop_tid_, sizeof(only), &only) != 0) {
    return absl::ErrnoToStatus(errno,
                               "emulated: cannot bind the loop's thread");
  }
  thief_ = *std::move(thief);
  before_ = ReadResidency();
  thief_->MeasureOverhead();
  MeasureCall();
  return absl::OkStatus();
}

// The median of raising and lowering; the mean of the two, since they come in
// turn.
void EmulatedActuator::MeasureCall() {
  constexpr size_t kCalls = 9;
  std::array<int64_t, kCalls> up;
  std::array<int64_t, kCalls> down;
  for (size_t i = 0; i < kCalls; ++i) {
    const int64_t begin_ns = MonotonicNs();
    domain_->Ask(Level::kHigh);
    const int64_t raised_ns = MonotonicNs();
    domain_->Ask(Level::kLow);
    up[i] = raised_ns - begin_ns;
    down[i] = MonotonicNs() - raised_ns;
  }
  for (auto* calls : {&up, &down}) {
    std::nth_element(calls->begin(), calls->begin() + kCalls / 2, calls->end());
  }
  call_ns_ = (up[kCalls / 2] + down[kCalls / 2]) / 2;
}

absl::StatusOr<Frequencies> Wanted(const ActuatorConfig& config) {
  Frequencies frequencies = config.frequencies;
  if (frequencies == Frequencies{}) frequencies = kPaperFrequencies;
  const auto [low, mid, high] = frequencies;
  if (low == 0 || low >= mid || mid >= high) {
    return absl::InvalidArgumentError(
        absl::StrFormat("emulated: frequencies %d, %d, %d kHz: three that "
                        "ascend are needed",
                        low, mid, high));
  }
  if (low < kLeastShare * high) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "emulated: %d kHz is less than a tenth of %d kHz, which cannot be "
        "emulated: real-time threads get 95 %% of a processor",
        low, high));
  }
  return frequencies;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Actuator>> MakeEmulatedActuator(
    const ActuatorConfig& config) {
  const absl::StatusOr<Frequencies> frequencies = Wanted(config);
  if (!frequencies.ok()) return frequencies.status();
  if (config.emulated_delay_ns < 0 ||
      config.emulated_delay_ns > kLongestDelayNs) {
    return absl::InvalidArgumentError(absl::StrCat("emulated: a delay of ",
                                                   config.emulated_delay_ns,
                                                   " ns: 0 to 1 s is allowed"));
  }
  if (config.loop_tid != 0 && config.loop_tid != ThreadId()) {
    return absl::InvalidArgumentError(
        "emulated: it is to be made on the loop's thread");
  }
  absl::StatusOr<std::unique_ptr<EmulatedDomain>> domain = EmulatedDomain::Join(
      *frequencies, config.emulated_delay_ns, config.shared_domain);
  if (!domain.ok()) return domain.status();
  auto actuator = std::make_unique<EmulatedActuator>(
      *frequencies, config.emulated_delay_ns, ThreadId(), *std::move(domain));
  Shares shares;
  for (size_t i = 0; i < kLevels; ++i) {
    shares[i] = 1 - static_cast<double>((*frequencies)[i]) / (*frequencies)[2];
  }
  const absl::Status begun = actuator->Begin(shares);
  if (!begun.ok()) return begun;
  return actuator;
}

}  // namespace edgewise
