#pragma once

#include <sys/types.h>

#include <vector>

#include "absl/status/statusor.h"

namespace edgewise {

// The processes of a service, to be stopped and to go on together. They are
// known by descriptors: a number that has become another process's meanwhile
// is not signalled.
class PausedProcesses {
 public:
  // Unavailable: one does not exist, may not be signalled, or the kernel has
  // no descriptors of processes (before 5.3).
  static absl::StatusOr<PausedProcesses> Open(const std::vector<pid_t>& pids);

  PausedProcesses(PausedProcesses&& other) noexcept = default;
  PausedProcesses& operator=(PausedProcesses&&) = delete;
  ~PausedProcesses();

  void Stop() const;
  // Async-signal-safe; no effect on what goes on already.
  void Continue() const;

 private:
  explicit PausedProcesses(std::vector<int> fds) : fds_(std::move(fds)) {}

  std::vector<int> fds_;
};

}  // namespace edgewise
