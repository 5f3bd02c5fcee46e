#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/actuator.h"
#include "boost/actuator/policy_lock.h"
#include "boost/frequency_domain.h"
#include "boost/guardian.h"
#include "boost/sysfs.h"
#include "boost/transition.h"

namespace edgewise {

// How one frequency domain is asked for a level: by a value in a file.
struct LevelFile {
  std::string cpus;              // "0 1"
  std::vector<Setting> prepare;  // written once, before the first level
  std::string path;
  std::array<std::string, kLevels> values;
  std::vector<Setting> saved;  // what was before, in the order of writing it
  // Prepared so that the domain is ours; when another value stands there, it
  // was taken over. Empty: cannot be told.
  Setting ours;
};

// What makes an actuator of files.
struct FilePlan {
  std::string_view name;
  std::string description;
  std::vector<LevelFile> files;
  Frequencies frequencies{};
  int64_t driver_transition_ns = 0;
  std::string shown_khz_path;  // scaling_cur_freq of one domain
  PolicyLock lock;             // taken before the first value was saved
};

// An actuator whose requests are values in files of sysfs, kept open: one write
// for each domain. A domain whose file fails (its CPUs went offline, another
// program changed its governor) is left out from then on, and the error
// returned once: it is set back to what was, unless somebody else governs it
// now. When none is left, each further boost tries those again that nobody else
// governs.
class FileActuator : public Actuator {
 public:
  // Prepares, times and sets the low level. Errors: as those of MakeActuator();
  // then everything is as it was.
  static absl::StatusOr<std::unique_ptr<Actuator>> Make(
      FilePlan plan, const ActuatorConfig& config);

  ~FileActuator() override { Restore(); }
  FileActuator(const FileActuator&) = delete;
  FileActuator& operator=(const FileActuator&) = delete;

  std::string_view name() const override { return name_; }
  std::string description() const override { return description_; }
  absl::Status Set(Level level) override;
  void Restore() override;
  int64_t call_ns() const override { return timing_.call_ns; }
  int64_t transition_ns() const override { return timing_.transition_ns; }
  Frequencies frequencies() const override { return frequencies_; }

 private:
  struct Domain {
    ValueFile file;  // closed: left out
    LevelFile plan;
    bool taken_over = false;
  };

  explicit FileActuator(FilePlan& plan)
      : name_(plan.name),
        description_(plan.description),
        frequencies_(plan.frequencies),
        lock_(std::move(plan.lock)) {}

  absl::Status Prepare(std::vector<LevelFile> files);
  static absl::Status Open(Domain& domain);
  void Reopen();
  absl::Status Write(Level level);
  // Sets a domain back to what was, as far as that can be.
  static void HandBack(const Domain& domain);
  // Returns `reason` with what has become of the domain.
  static std::string LeaveOut(Domain& domain, const std::string& reason);

  std::string_view name_;
  std::string description_;
  Frequencies frequencies_;
  PolicyLock lock_;
  std::vector<Domain> domains_;
  std::unique_ptr<Guardian> guardian_;  // null: none wanted
  Timing timing_;
  // None: the last Set() failed, in some domains or in all.
  std::optional<Level> level_ = Level::kLow;
  bool restored_ = false;
};

}  // namespace edgewise
