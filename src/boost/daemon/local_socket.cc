#include "boost/daemon/local_socket.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr int kType = SOCK_SEQPACKET | SOCK_CLOEXEC;
constexpr int kBacklog = 128;

#ifndef SO_PASSRIGHTS
constexpr int SO_PASSRIGHTS = 83;  // Linux 6.16
#endif

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the socket's path \"", path, "\" has ", path.size(),
        " bytes: allowed are 1 to ", sizeof(address.sun_path) - 1));
  }
  std::ranges::copy(path, address.sun_path);
  return address;
}

// What is made meanwhile has the mode that it is given. The process's own:
// while the daemon starts, nobody else makes files in it.
class NoUmask {
 public:
  NoUmask() : before_(umask(0)) {}
  ~NoUmask() { umask(before_); }
  NoUmask(const NoUmask&) = delete;
  NoUmask& operator=(const NoUmask&) = delete;

 private:
  const mode_t before_;
};

// The socket in the file system has the mode of `fd`.
int BindTo(int fd, const sockaddr_un& address) {
  const NoUmask any;
  return bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

// Makes the directory of a socket where it is missing. In one that another user
// can change the socket could be taken away, and another put in its place.
absl::Status MakeDirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "."
                                : slash == 0               ? "/"
                                             : path.substr(0, slash);
  {
    const NoUmask any;
    if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
      return absl::ErrnoToStatus(errno,
                                 absl::StrCat("cannot make ", directory));
    }
  }
  struct stat info {};
  if (stat(directory.c_str(), &info) != 0) {
    return absl::ErrnoToStatus(errno, directory);
  }
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return absl::PermissionDeniedError(absl::StrCat(
        directory, " belongs to user ", info.st_uid,
        ", who could replace the socket; next step: another --socket"));
  }
  const bool open_to_others = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (open_to_others && (info.st_mode & S_ISVTX) == 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "other users may write ", directory,
        ", and could replace the socket; next step: chmod go-w ", directory));
  }
  return absl::OkStatus();
}

// 0, or an errno.
int ConnectOnce(int fd, const sockaddr_un& address) {
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  return connect(fd, to, sizeof(address)) == 0 ? 0 : errno;
}

absl::Status RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError(
        absl::StrCat(path, " is there already, and is no socket"));
  }
  const OwnedFd probe(socket(AF_UNIX, kType | SOCK_NONBLOCK, 0));
  if (ConnectOnce(probe.get(), address) != ECONNREFUSED) {
    return absl::AlreadyExistsError(
        absl::StrCat("another boostd listens at ", path));
  }
  if (unlink(path.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot replace ", path));
  }
  return absl::OkStatus();
}

// connect() gives up at once where the queue of a socket is full; a flood of
// others must not keep us out.
int ConnectPatiently(int fd, const sockaddr_un& address, int64_t timeout_ns) {
  const int64_t until_ns = MonotonicNs() + timeout_ns;
  for (;;) {
    const int error = ConnectOnce(fd, address);
    if (error != EAGAIN && error != EINTR) return error;
    if (MonotonicNs() >= until_ns) return ETIMEDOUT;
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
}

absl::Status ConnectFailure(const std::string& path, int error) {
  if (error == ENOENT || error == ECONNREFUSED) {
    return absl::UnavailableError(
        absl::StrCat("no boostd listens at ", path,
                     "; next step, as root: edgewise boostd"));
  }
  if (error == EPROTOTYPE) {
    return absl::UnavailableError(
        absl::StrCat("what listens at ", path, " is no boostd"));
  }
  const std::string what = absl::StrCat("cannot connect to ", path);
  if (error == ETIMEDOUT) {
    return absl::UnavailableError(absl::StrCat(what, ": it does not answer"));
  }
  return absl::ErrnoToStatus(error, what);
}

}  // namespace

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) close(fd_);
}

LocalListener::~LocalListener() { unlink(path_.c_str()); }

absl::StatusOr<std::unique_ptr<LocalListener>> LocalListener::At(
    const std::string& path) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  if (!address.ok()) return address.status();
  if (absl::Status status = MakeDirectoryOf(path); !status.ok()) {
    return status;
  }
  if (absl::Status status = RemoveStale(path, *address); !status.ok()) {
    return status;
  }
  OwnedFd fd(socket(AF_UNIX, kType | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return absl::ErrnoToStatus(errno, "socket");
  const std::string failure = absl::StrCat("cannot listen at ", path);
  // Before it has a name: that could be another file's by then.
  if (fchmod(fd.get(), 0666) != 0 || BindTo(fd.get(), *address) != 0) {
    return absl::ErrnoToStatus(errno, failure);
  }
  // Accepted sockets inherit it: who sends descriptors fails. Older kernels
  // know no such thing.
  const int no = 0;
  setsockopt(fd.get(), SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no));
  const int bound = fd.get();
  std::unique_ptr<LocalListener> made(new LocalListener(std::move(fd), path));
  if (listen(bound, kBacklog) != 0) {
    return absl::ErrnoToStatus(errno, failure);
  }
  return made;
}

absl::StatusOr<OwnedFd> ConnectTo(const std::string& path, int64_t timeout_ns) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  if (!address.ok()) return address.status();
  OwnedFd fd(socket(AF_UNIX, kType, 0));
  if (fd.get() < 0) return absl::ErrnoToStatus(errno, "socket");
  const timeval timeout{timeout_ns / 1'000'000'000,
                        timeout_ns % 1'000'000'000 / 1000};
  // The send timeout is connect()'s as well.
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  const int error = ConnectPatiently(fd.get(), *address, timeout_ns);
  if (error != 0) return ConnectFailure(path, error);
  const std::optional<ucred> peer = PeerOf(fd.get());
  if (!peer || (peer->uid != 0 && peer->uid != geteuid())) {
    return absl::PermissionDeniedError(absl::StrCat(
        "what listens at ", path, " belongs to user ", peer ? peer->uid : -1,
        ": only a boostd of root or of this user is trusted"));
  }
  return fd;
}

std::optional<ucred> PeerOf(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  return peer;
}

absl::Status SendMessage(int fd, std::span<const std::byte> message,
                         std::span<const int> fds) {
  iovec part{const_cast<std::byte*>(message.data()), message.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
  }
  if (sendmsg(fd, &header, MSG_NOSIGNAL) < 0) {
    return absl::ErrnoToStatus(errno, "sendmsg");
  }
  return absl::OkStatus();
}

Received ReceiveMessage(int fd, std::span<std::byte> buffer,
                        size_t fds_wanted) {
  iovec part{buffer.data(), buffer.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  if (fds_wanted > 0) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(fds_wanted * sizeof(int));
  }
  // First only a look: receiving descriptors without room for them closes them,
  // and who sent one may have made that block.
  const int how = fds_wanted > 0 ? MSG_CMSG_CLOEXEC : MSG_PEEK;
  ssize_t size = recvmsg(fd, &header, how);
  // Who closed without reading what we sent may have answered before: a
  // refusal.
  if (size < 0 && errno == ECONNRESET) size = recvmsg(fd, &header, how);
  Received received;
  if (size < 0) {
    const bool later = errno == EAGAIN || errno == EINTR;
    received.what = later ? Received::What::kNothing : Received::What::kEnd;
    return received;
  }
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr;
       each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
      continue;
    const size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count && i < received.fds.size(); ++i) {
      int passed = -1;
      std::memcpy(&passed, CMSG_DATA(each) + i * sizeof(int), sizeof(int));
      received.fds[i] = OwnedFd(passed);
    }
  }
  received.size = static_cast<size_t>(size);
  const bool cut = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  if (fds_wanted == 0 && !cut) recv(fd, buffer.data(), buffer.size(), 0);
  received.what = cut         ? Received::What::kRefused
                  : size == 0 ? Received::What::kEnd
                              : Received::What::kMessage;
  return received;
}

}  // namespace edgewise
