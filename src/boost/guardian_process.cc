// The guardian's own process: RunGuardian().

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "boost/guardian.h"
#include "boost/guardian_protocol.h"

namespace edgewise {
namespace {

constexpr char kCpus[] = "/sys/devices/system/cpu";
// In both places where cgroup v2 is mounted.
constexpr std::array<const char*, 2> kRootCgroups = {
    "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"};

void Detach() {
  // A service that is stopped has all its processes sent SIGTERM at once, a
  // terminal SIGINT: the owner may still be boosted then.
  for (const int number :
       {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2}) {
    signal(number, SIG_IGN);
  }
  setsid();  // fails when posix_spawn has done it
  static_cast<void>(chdir("/"));
  syscall(SYS_close_range, kGuardianLockFd + 1, ~0U, 0);
}

// A kill of the owner's cgroup would end the guardian as well. Needs root, and
// reaches what this process sees of the hierarchy: out of a container it does
// not get.
void LeaveCgroup(const std::string& root) {
  for (const char* file : kRootCgroups) {
    if (WriteValue({absl::StrCat(root, file), "0"}).ok()) return;
  }
}

std::optional<std::string> RealPath(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  if (realpath(path.c_str(), real.data()) == nullptr) return std::nullopt;
  return real.data();
}

// Where a descriptor leads, whatever links the path went through.
std::optional<std::string> PathOf(int fd) {
  return RealPath(absl::StrCat("/proc/self/fd/", fd));
}

absl::Status WriteBelow(const std::string& directory, const Setting& setting) {
  const absl::StatusOr<ValueFile> file = ValueFile::Open(setting.path);
  if (!file.ok()) return file.status();
  // Looked at after it was opened: nobody can swap it in between.
  const std::optional<std::string> real = PathOf(file->fd());
  if (!real || !real->starts_with(directory + "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat(setting.path, " is not below ", directory));
  }
  const int error = file->Write(absl::StrCat(setting.value, "\n"));
  if (error == 0) return absl::OkStatus();
  return ErrnoStatus(error, absl::StrCat(setting.path, " <- ", setting.value));
}

// What can be written is, whatever becomes of the rest.
int WriteBack(const std::string& directory,
              const std::vector<SavedSetting>& saved) {
  int exit_code = 0;
  for (const auto& [setting, ours] : saved) {
    if (!OtherValue(ours).empty()) continue;
    const absl::Status status = WriteBelow(directory, setting);
    if (status.ok()) continue;
    exit_code = 1;
    const std::string message(status.message());
    static_cast<void>(std::fprintf(
        stderr, "edgewise: guardian: not restored: %s\n", message.c_str()));
  }
  return exit_code;
}

// The owner's list, or why it is none.
absl::StatusOr<guardian_protocol::List> ReceiveList(int fd) {
  std::string text;
  while (!text.ends_with(guardian_protocol::kEndOfList)) {
    std::array<char, 4096> part{};
    const ssize_t size = recv(fd, part.data(), part.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return absl::UnavailableError("the owner has gone");
    text.append(part.data(), static_cast<size_t>(size));
    if (text.size() > guardian_protocol::kMaxListBytes) {
      return absl::InvalidArgumentError("the list is too long");
    }
  }
  return guardian_protocol::ParseList(text);
}

absl::Status CheckPaths(const std::string& directory,
                        const std::vector<SavedSetting>& saved) {
  for (const auto& [setting, ours] : saved) {
    const std::optional<std::string> real = RealPath(setting.path);
    if (real && real->starts_with(directory + "/")) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(setting.path, " is not below ", directory));
  }
  return absl::OkStatus();
}

// Waits until the owner has released its guardian (true) or is gone: until the
// socket ends, or the process does, since a child that it forked and that runs
// nothing else keeps the socket open. `process`: its pidfd; -1: the kernel has
// none (before 5.3).
bool AwaitRelease(int fd, int process) {
  std::string said;
  for (;;) {
    std::array<pollfd, 2> waiting{pollfd{fd, POLLIN, 0},
                                  pollfd{process, POLLIN, 0}};
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) {
      return false;
    }
    std::array<char, 64> part{};
    const ssize_t size = recv(fd, part.data(), part.size(), MSG_DONTWAIT);
    if (size > 0) said.append(part.data(), static_cast<size_t>(size));
    if (said == guardian_protocol::kReleased) return true;
    if (!guardian_protocol::kReleased.starts_with(said)) return false;
    const bool gone = size == 0 || (waiting[1].revents & POLLIN) != 0;
    // What it said before its end is read first.
    if (gone && size <= 0) return false;
    if (size < 0 && errno != EAGAIN && errno != EINTR) return false;
  }
}

void Say(int fd, std::string_view line) {
  static_cast<void>(send(fd, line.data(), line.size(), MSG_NOSIGNAL));
}

}  // namespace

int RunGuardian(int fd) {
  Detach();
  const absl::StatusOr<guardian_protocol::List> list = ReceiveList(fd);
  if (!list.ok()) {
    Say(fd, absl::StrCat(list.status().message(), "\n"));
    return 1;
  }
  const std::string cpus =
      RealPath(absl::StrCat(list->root, kCpus)).value_or("");
  const absl::Status inside =
      cpus.empty() ? absl::UnavailableError("no /sys/devices/system/cpu")
                   : CheckPaths(cpus, list->saved);
  if (!inside.ok()) {
    Say(fd, absl::StrCat(inside.message(), "\n"));
    return 1;
  }
  const int process = static_cast<int>(syscall(SYS_pidfd_open, list->owner, 0));
  // Asked after pidfd_open: had the owner died before, its number might be
  // another's by then, but our parent would be another as well.
  if (getppid() != list->owner) return 1;
  LeaveCgroup(list->root);
  Say(fd, guardian_protocol::kReady);
  if (AwaitRelease(fd, process)) return 0;
  return WriteBack(cpus, list->saved);
}

}  // namespace edgewise
