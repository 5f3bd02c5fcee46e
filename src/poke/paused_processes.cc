#include "poke/paused_processes.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

int Signal(int fd, int number) {
  return static_cast<int>(
      syscall(SYS_pidfd_send_signal, fd, number, nullptr, 0));
}

}  // namespace

absl::StatusOr<PausedProcesses> PausedProcesses::Open(
    const std::vector<pid_t>& pids) {
  PausedProcesses opened{std::vector<int>()};
  for (const pid_t pid : pids) {
    const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (fd >= 0) opened.fds_.push_back(fd);
    if (fd < 0 || Signal(fd, 0) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("process ", pid));
    }
  }
  return opened;
}

PausedProcesses::~PausedProcesses() {
  for (const int fd : fds_) close(fd);
}

void PausedProcesses::Stop() const {
  for (const int fd : fds_) Signal(fd, SIGSTOP);
}

void PausedProcesses::Continue() const {
  for (const int fd : fds_) Signal(fd, SIGCONT);
}

}  // namespace edgewise
