#include "boost/actuator/log_actuator.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "platform/clock.h"

namespace edgewise {

LogActuator::LogActuator(const Frequencies& frequencies,
                         std::function<void(std::string_view)> print)
    : frequencies_(frequencies), print_(std::move(print)) {
  requests_.reserve(kKept);
}

std::string LogActuator::description() const {
  return "log (requests are counted, nothing is done)";
}

absl::Status LogActuator::Set(Level level) {
  if (level == level_ || restored_) return absl::OkStatus();
  level_ = level;
  ++counts_[static_cast<size_t>(level)];
  if (requests_.size() < kKept) requests_.push_back({MonotonicNs(), level});
  return absl::OkStatus();
}

void LogActuator::Restore() {
  if (restored_) return;
  restored_ = true;
  std::string line = "edgewise: boost: actuator log: requests for";
  for (size_t i = 0; i < kLevels; ++i) {
    absl::StrAppend(&line, i == 0 ? " " : ", ", std::string(kLevelNames[i]),
                    ": ", counts_[i]);
  }
  print_(line);
}

absl::StatusOr<std::unique_ptr<Actuator>> MakeLogActuator(
    const ActuatorConfig& config) {
  return std::make_unique<LogActuator>(
      config.frequencies, [](std::string_view line) {
        static_cast<void>(std::fprintf(
            stderr, "%.*s\n", static_cast<int>(line.size()), line.data()));
      });
}

}  // namespace edgewise
