#include "boost/actuator.h"

#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "boost/actuator/cpufreq_actuator.h"
#include "boost/actuator/daemon_actuator.h"
#include "boost/actuator/emulated_actuator.h"
#include "boost/actuator/epp_actuator.h"
#include "boost/actuator/log_actuator.h"
#include "boost/actuator/none_actuator.h"
#include "boost/actuator/uclamp_actuator.h"
#include "boost/frequency_domain.h"

namespace edgewise {
namespace {

struct ActuatorMaker {
  std::string_view name;
  absl::StatusOr<std::unique_ptr<Actuator>> (*make)(const ActuatorConfig&);
  bool automatic;  // "auto" tries it, in this order
};

constexpr std::array kMakers = {
    ActuatorMaker{"daemon", MakeDaemonActuator, true},
    ActuatorMaker{"cpufreq", MakeCpufreqActuator, true},
    ActuatorMaker{"epp", MakeEppActuator, true},
    ActuatorMaker{"uclamp", MakeUclampActuator, true},
    ActuatorMaker{"emulated", MakeEmulatedActuator, false},
    ActuatorMaker{"log", MakeLogActuator, false},
    ActuatorMaker{"none", MakeNoneActuator, false},
};

// What "auto" took, with its reasons.
class ChosenActuator : public Actuator {
 public:
  ChosenActuator(std::unique_ptr<Actuator> chosen, std::string why)
      : chosen_(std::move(chosen)), why_(std::move(why)) {}

  std::string_view name() const override { return chosen_->name(); }
  std::string description() const override {
    return absl::StrCat(chosen_->description(), "; ", why_);
  }
  absl::Status Set(Level level) override { return chosen_->Set(level); }
  void Restore() override { chosen_->Restore(); }
  int64_t call_ns() const override { return chosen_->call_ns(); }
  int64_t transition_ns() const override { return chosen_->transition_ns(); }
  Frequencies frequencies() const override { return chosen_->frequencies(); }
  std::optional<Residency> residency() const override {
    return chosen_->residency();
  }

 private:
  std::unique_ptr<Actuator> chosen_;
  std::string why_;
};

absl::StatusOr<std::unique_ptr<Actuator>> MakeBest(
    const ActuatorConfig& config) {
  std::vector<std::string> reasons;
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  for (const ActuatorMaker& maker : kMakers) {
    if (!maker.automatic) continue;
    absl::StatusOr<std::unique_ptr<Actuator>> made = maker.make(config);
    if (made.ok()) {
      std::string why =
          reasons.empty()
              ? "the first choice"
              : absl::StrCat("taken because of ", absl::StrJoin(reasons, "; "));
      return std::make_unique<ChosenActuator>(*std::move(made), std::move(why));
    }
    // What was asked for is wrong: another actuator would only hide it.
    if (absl::IsInvalidArgument(made.status())) return made;
    // With the rights it would have worked.
    if (absl::IsPermissionDenied(made.status())) code = made.status().code();
    reasons.push_back(
        absl::StrCat(std::string(maker.name), ": ", made.status().message()));
  }
  return absl::Status(code, absl::StrCat("no actuator works here: ",
                                         absl::StrJoin(reasons, "; ")));
}

}  // namespace

std::vector<std::string_view> ActuatorNames() {
  std::vector<std::string_view> names;
  for (const ActuatorMaker& maker : kMakers) names.push_back(maker.name);
  return names;
}

absl::StatusOr<std::unique_ptr<Actuator>> MakeActuator(
    const ActuatorConfig& config) {
  const absl::Status ascending = CheckAscending(config.frequencies);
  if (!ascending.ok()) return ascending;
  if (config.name == "auto") return MakeBest(config);
  for (const ActuatorMaker& maker : kMakers) {
    if (maker.name == config.name) return maker.make(config);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "actuator \"", config.name, "\": allowed are auto, ",
      absl::StrJoin(kMakers, ", ",
                    [](std::string* out, const ActuatorMaker& maker) {
                      out->append(maker.name);
                    })));
}

}  // namespace edgewise
