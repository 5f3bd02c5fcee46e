#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/actuator.h"

namespace edgewise {

// Notes what it is asked for and does nothing: to try a policy, and for tests.
class LogActuator : public Actuator {
 public:
  struct Request {
    int64_t at_ns;  // CLOCK_MONOTONIC
    Level level;
  };

  // The first so many requests are kept; all are counted.
  static constexpr size_t kKept = 4096;

  // `print` is given one line, by Restore().
  LogActuator(const Frequencies& frequencies,
              std::function<void(std::string_view)> print);
  ~LogActuator() override { Restore(); }
  LogActuator(const LogActuator&) = delete;
  LogActuator& operator=(const LogActuator&) = delete;

  std::string_view name() const override { return "log"; }
  std::string description() const override;
  absl::Status Set(Level level) override;
  void Restore() override;
  int64_t call_ns() const override { return 0; }
  int64_t transition_ns() const override { return 0; }
  Frequencies frequencies() const override { return frequencies_; }

  const std::vector<Request>& requests() const { return requests_; }
  const std::array<uint64_t, kLevels>& counts() const { return counts_; }

 private:
  Frequencies frequencies_;
  std::function<void(std::string_view)> print_;
  std::vector<Request> requests_;
  std::array<uint64_t, kLevels> counts_{};
  Level level_ = Level::kLow;
  bool restored_ = false;
};

// A LogActuator that prints to stderr.
absl::StatusOr<std::unique_ptr<Actuator>> MakeLogActuator(
    const ActuatorConfig& config);

}  // namespace edgewise
