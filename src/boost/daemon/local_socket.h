#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Unix sockets of whole messages (SOCK_SEQPACKET), as the daemon and its
// clients use them. Nothing here raises SIGPIPE.

namespace edgewise {

// A descriptor that is closed with its owner; -1: none.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd();

  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// A socket that listens, without blocking, until its owner is destroyed. Nobody
// can send it descriptors, where the kernel can prevent that (Linux 6.16).
class LocalListener {
 public:
  // Listens at `path`, open to every user (who may is decided by credentials);
  // makes the last directory of the path, mode 0755, where it is missing. A
  // socket that nobody listens on any more is replaced. AlreadyExists: somebody
  // does, or it is no socket. PermissionDenied: another user could replace it.
  static absl::StatusOr<std::unique_ptr<LocalListener>> At(
      const std::string& path);

  // Removes the socket from the file system.
  ~LocalListener();
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  int fd() const { return fd_.get(); }

 private:
  LocalListener(OwnedFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  const OwnedFd fd_;
  const std::string path_;
};

// Connects within `timeout_ns`; later sends and receives wait as long.
// Unavailable: nobody listens. PermissionDenied: this user may not, or who
// listens is neither root nor this user, and so not to be trusted.
absl::StatusOr<OwnedFd> ConnectTo(const std::string& path, int64_t timeout_ns);

// Who is at the other end; nullopt: gone.
std::optional<ucred> PeerOf(int fd);

// Sends one message, with descriptors.
absl::Status SendMessage(int fd, std::span<const std::byte> message,
                         std::span<const int> fds = {});

struct Received {
  enum class What { kMessage, kNothing, kEnd, kRefused };
  What what = What::kNothing;
  size_t size = 0;
  std::array<OwnedFd, 2> fds;
};

// Receives one message into `buffer`. kNothing: none has come. kRefused: it was
// longer than the buffer, or brought descriptors that were not asked for
// (`fds_wanted` of them are taken, at most 2). Where none were, such a message
// stays in the socket, and its descriptors are closed with that.
Received ReceiveMessage(int fd, std::span<std::byte> buffer,
                        size_t fds_wanted = 0);

}  // namespace edgewise
