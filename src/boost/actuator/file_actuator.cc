#include "boost/actuator/file_actuator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace edgewise {
namespace {

// What a person without the rights, or in a container, can do.
absl::Status WithNextStep(const absl::Status& status) {
  if (!absl::IsPermissionDenied(status)) return status;
  return absl::PermissionDeniedError(absl::StrCat(
      status.message(),
      "; run edgewise boostd as root on the host and use the actuator daemon, "
      "or run as root"));
}

uint32_t ShownKhz(const std::string& path) {
  return static_cast<uint32_t>(ReadNumber(path).value_or(0));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Actuator>> FileActuator::Make(
    FilePlan plan, const ActuatorConfig& config) {
  std::unique_ptr<FileActuator> actuator(new FileActuator(plan));
  if (!config.guardian_program.empty()) {
    std::vector<SavedSetting> saved;
    for (const LevelFile& file : plan.files) {
      for (const Setting& each : file.saved) saved.push_back({each, file.ours});
    }
    auto guardian = Guardian::Start(config.guardian_program, config.root, saved,
                                    actuator->lock_.fd());
    if (!guardian.ok()) return guardian.status();
    actuator->guardian_ = *std::move(guardian);
  }
  // From here on the destructor undoes what was done.
  const absl::Status prepared = actuator->Prepare(std::move(plan.files));
  if (!prepared.ok()) return WithNextStep(prepared);
  const TransitionProbes probes =
      ProbesOfThisThread([&](Level level) { return actuator->Write(level); },
                         [&] { return ShownKhz(plan.shown_khz_path); });
  absl::StatusOr<Timing> timing =
      MeasureTiming(probes, plan.frequencies, plan.driver_transition_ns);
  if (!timing.ok()) return WithNextStep(timing.status());
  actuator->timing_ = *std::move(timing);
  absl::StrAppend(&actuator->description_, "; transition ",
                  actuator->timing_.transition_ns / 1000, " µs (",
                  actuator->timing_.source, ")");
  return actuator;
}

absl::Status FileActuator::Prepare(std::vector<LevelFile> files) {
  domains_.reserve(files.size());
  for (LevelFile& file : files) {
    for (std::string& value : file.values) value += '\n';
    domains_.push_back({ValueFile(), std::move(file)});
    absl::Status status = Open(domains_.back());
    if (!status.ok()) return status;
  }
  return Write(Level::kLow);
}

absl::Status FileActuator::Open(Domain& domain) {
  for (const Setting& setting : domain.plan.prepare) {
    absl::Status status = WriteValue(setting);
    if (!status.ok()) return status;
  }
  absl::StatusOr<ValueFile> opened = ValueFile::Open(domain.plan.path);
  if (!opened.ok()) return opened.status();
  domain.file = *std::move(opened);
  return absl::OkStatus();
}

absl::Status FileActuator::Set(Level level) {
  if (level == level_ || restored_) return absl::OkStatus();
  const bool none_open =
      std::none_of(domains_.begin(), domains_.end(),
                   [](const Domain& each) { return each.file.is_open(); });
  if (none_open && level != Level::kLow) Reopen();
  // What was handed back is not boosted.
  absl::Status status =
      none_open && level == Level::kLow ? absl::OkStatus() : Write(level);
  level_.reset();
  if (status.ok()) level_ = level;
  return status;
}

// A CPU may be online again by now.
void FileActuator::Reopen() {
  for (Domain& domain : domains_) {
    const Setting& ours = domain.plan.ours;
    const std::string now = ReadValue(ours.path).value_or("");
    const bool as_left =
        ours.path.empty() || now == ours.value ||
        std::any_of(domain.plan.saved.begin(), domain.plan.saved.end(),
                    [&](const Setting& saved) {
                      return saved.path == ours.path && saved.value == now;
                    });
    if (domain.taken_over || !as_left) continue;
    if (!Open(domain).ok()) HandBack(domain);
  }
}

absl::Status FileActuator::Write(Level level) {
  const auto index = static_cast<size_t>(level);
  std::vector<std::string> failures;
  bool any_open = false;
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  for (Domain& domain : domains_) {
    if (!domain.file.is_open()) continue;
    const int error = domain.file.Write(domain.plan.values[index]);
    any_open = any_open || error == 0;
    if (error == 0) continue;
    const absl::Status status = ErrnoStatus(error, domain.plan.path);
    code = status.code();
    failures.push_back(LeaveOut(domain, std::string(status.message())));
  }
  if (!failures.empty())
    return absl::Status(code, absl::StrJoin(failures, "; "));
  if (any_open) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(std::string(name_), ": no CPU is left to boost"));
}

std::string FileActuator::LeaveOut(Domain& domain, const std::string& reason) {
  domain.file.Close();
  const std::string other = OtherValue(domain.plan.ours);
  domain.taken_over = !other.empty();
  if (domain.taken_over) {
    return absl::StrCat(reason, ": CPU ", domain.plan.cpus,
                        " is left to the governor ", other);
  }
  HandBack(domain);
  return absl::StrCat(reason, ": CPU ", domain.plan.cpus,
                      " is boosted no longer");
}

void FileActuator::HandBack(const Domain& domain) {
  for (const Setting& setting : domain.plan.saved) {
    // Of a CPU that is offline nothing can be set, and nothing need be.
    static_cast<void>(WriteValue(setting));
  }
}

void FileActuator::Restore() {
  if (restored_) return;
  restored_ = true;
  for (Domain& domain : domains_) {
    domain.file.Close();
    // Since the last write somebody may have taken it over, too.
    if (!domain.taken_over && OtherValue(domain.plan.ours).empty())
      HandBack(domain);
  }
  if (guardian_) guardian_->Release();
  lock_ = PolicyLock();
}

}  // namespace edgewise
