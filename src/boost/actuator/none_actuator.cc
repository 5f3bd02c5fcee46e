#include "boost/actuator/none_actuator.h"

namespace edgewise {
namespace {

class NoneActuator : public Actuator {
 public:
  explicit NoneActuator(const Frequencies& frequencies)
      : frequencies_(frequencies) {}

  std::string_view name() const override { return "none"; }
  std::string description() const override { return "none (nothing is done)"; }
  absl::Status Set(Level /*level*/) override { return absl::OkStatus(); }
  void Restore() override {}
  int64_t call_ns() const override { return 0; }
  int64_t transition_ns() const override { return 0; }
  Frequencies frequencies() const override { return frequencies_; }

 private:
  Frequencies frequencies_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Actuator>> MakeNoneActuator(
    const ActuatorConfig& config) {
  return std::make_unique<NoneActuator>(config.frequencies);
}

}  // namespace edgewise
