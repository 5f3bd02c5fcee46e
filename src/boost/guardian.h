#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/sysfs.h"

namespace edgewise {

// The descriptor on which the guardian program finds its owner.
inline constexpr int kGuardianFd = 3;
// What it holds open until it has ended: its owner's lock.
inline constexpr int kGuardianLockFd = 4;

// A value to write back.
struct SavedSetting {
  Setting setting;
  // As the owner has left it: when another value stands there, somebody else
  // governs by now, and nothing is written. Empty: cannot be told.
  Setting ours;
};

// A process of its own that writes values back when its owner, this process,
// ends without having done so: by SIGKILL, a crash, the OOM killer. It sees
// that the socket to its owner, or its owner's process itself, has gone. It
// does not survive what ends every process of a container or PID namespace at
// once; docs/boost-actuators.md.
class Guardian {
 public:
  // Ends the guardian without it writing anything: Release().
  ~Guardian() { Release(); }
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  // Runs `program --guard` and waits, at most 2 s, until it watches. `saved`,
  // in this order, is what it writes, in files below
  // `root`/sys/devices/system/cpu only. `lock_fd`: an open file that it shares,
  // so that nobody has the lock before all is written; -1: none. Unavailable:
  // with the reason.
  static absl::StatusOr<std::unique_ptr<Guardian>> Start(
      const std::string& program, const std::string& root,
      const std::vector<SavedSetting>& saved, int lock_fd = -1);

  // The values are back, or were never changed. Idempotent.
  void Release();

 private:
  Guardian(pid_t pid, int fd) : pid_(pid), fd_(fd) {}

  pid_t pid_;
  int fd_;  // -1: released
};

// The guardian program's side: serves the owner at the other end of `fd` and
// returns the exit code of the process. Changes the process (session, signals,
// cgroup).
int RunGuardian(int fd);

}  // namespace edgewise
