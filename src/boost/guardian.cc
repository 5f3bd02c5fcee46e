#include "boost/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "boost/daemon/local_socket.h"
#include "boost/guardian_protocol.h"

extern char** environ;

namespace edgewise {
namespace {

constexpr int kReadyTimeoutMs = 2000;
// Descriptors that posix_spawn moves to their places must lie above these.
constexpr int kLeastFd = 10;

// Both ends, closed with what is left of them.
struct SocketPair {
  std::array<int, 2> fds{-1, -1};
  ~SocketPair() {
    for (const int fd : fds) {
      if (fd >= 0) close(fd);
    }
  }
};

absl::Status OpenSockets(SocketPair* sockets) {
  std::array<int, 2> low{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low.data()) != 0) {
    return ErrnoStatus(errno, "guardian: socketpair");
  }
  for (size_t i = 0; i < low.size(); ++i) {
    sockets->fds[i] = fcntl(low[i], F_DUPFD_CLOEXEC, kLeastFd);
    close(low[i]);
  }
  if (sockets->fds[0] < 0 || sockets->fds[1] < 0) {
    return ErrnoStatus(EMFILE, "guardian: its socket");
  }
  return absl::OkStatus();
}

// A session of its own, default signals, and of this process' descriptors only
// the socket, the lock and stderr: nobody who reads our output waits for the
// guardian.
absl::StatusOr<pid_t> Spawn(const std::string& program, int fd, int lock_fd) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fd, kGuardianFd);
  if (lock_fd >= 0) {
    posix_spawn_file_actions_adddup2(&actions, lock_fd, kGuardianLockFd);
  } else {
    posix_spawn_file_actions_addopen(&actions, kGuardianLockFd, "/dev/null",
                                     O_RDONLY, 0);
  }
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<int16_t>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                           POSIX_SPAWN_SETSIGDEF));
  std::string name = program;
  std::string option = "--guard";
  std::array<char*, 3> arguments{name.data(), option.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes,
                                arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return ErrnoStatus(error, absl::StrCat("guardian ", program));
  }
  return pid;
}

absl::Status SendAll(int fd, std::string_view text) {
  while (!text.empty()) {
    // MSG_NOSIGNAL: a guardian that has died must not kill the application.
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return ErrnoStatus(errno, "guardian: telling it");
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

// The one line that the guardian answers.
absl::Status AwaitReady(int fd) {
  std::string answer;
  while (answer.find('\n') == std::string::npos) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, kReadyTimeoutMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      return absl::UnavailableError(
          absl::StrCat("guardian: no answer within ", kReadyTimeoutMs, " ms"));
    }
    std::array<char, 256> part{};
    const ssize_t size = recv(fd, part.data(), part.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      return absl::UnavailableError("guardian: it ended before it watched");
    }
    answer.append(part.data(), static_cast<size_t>(size));
  }
  if (answer == guardian_protocol::kReady) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "guardian: it refuses: ", answer.substr(0, answer.find('\n'))));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Guardian>> Guardian::Start(
    const std::string& program, const std::string& root,
    const std::vector<SavedSetting>& saved, int lock_fd) {
  SocketPair sockets;
  const absl::Status opened = OpenSockets(&sockets);
  if (!opened.ok()) return opened;
  // As high as the sockets; the lock is that of the open file, whoever has it.
  const OwnedFd lock(lock_fd < 0 ? -1
                                 : fcntl(lock_fd, F_DUPFD_CLOEXEC, kLeastFd));
  const absl::StatusOr<pid_t> pid = Spawn(program, sockets.fds[1], lock.get());
  if (!pid.ok()) return pid.status();
  close(sockets.fds[1]);  // else the guardian's end would not be seen
  sockets.fds[1] = -1;
  std::unique_ptr<Guardian> guardian(new Guardian(*pid, sockets.fds[0]));
  sockets.fds[0] = -1;
  absl::Status status = SendAll(
      guardian->fd_, guardian_protocol::ListText({root, getpid(), saved}));
  if (status.ok()) status = AwaitReady(guardian->fd_);
  if (status.ok()) return guardian;
  // It may hang in something that is not our program at all.
  kill(*pid, SIGKILL);
  return status;
}

void Guardian::Release() {
  if (fd_ < 0) return;
  static_cast<void>(SendAll(fd_, guardian_protocol::kReleased));
  close(fd_);
  fd_ = -1;
  // It ends at once, and so leaves no zombie. ECHILD: the application takes no
  // notice of its children.
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace edgewise
