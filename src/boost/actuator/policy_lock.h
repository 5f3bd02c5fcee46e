#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/daemon/local_socket.h"
#include "boost/frequency_domain.h"

namespace edgewise {

// The right to change how fast some cpufreq policies run. Two that did, each in
// its own process or thread, would undo each other's boosts, and the second
// would save the first one's boost as what was before. The kernel takes it back
// when its holder ends, and the guardian that shares the descriptor.
class PolicyLock {
 public:
  PolicyLock() = default;

  // All of them, or none. Unavailable: somebody else has one. `root`: prefix of
  // /run and /dev/shm, for tests.
  static absl::StatusOr<PolicyLock> Take(
      const std::string& root, const std::vector<FrequencyDomain>& domains);

  int fd() const { return file_.get(); }

 private:
  explicit PolicyLock(OwnedFd file) : file_(std::move(file)) {}

  OwnedFd file_;
};

}  // namespace edgewise
