#include "hooks/arrival.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/refusal.h"

namespace edgewise {
namespace {

constinit StandInCall receive_message(SYS_recvmsg);

bool SetStamps(int fd, int on) {
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) == 0;
}

}  // namespace

absl::Status CanStampArrivals() {
  if (receive_message.Probe()) {
    return absl::PermissionDeniedError(
        "the kernel's policy does not let this process call recvmsg");
  }
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "socket");
  absl::Status status = SetStamps(fd, 1)
                            ? absl::OkStatus()
                            : absl::ErrnoToStatus(errno, "SO_TIMESTAMPNS");
  close(fd);
  return status;
}

Stamping StampArrivals(int fd) {
  if (receive_message.refused()) return Stamping::kUnavailable;
  int on = 0;
  socklen_t length = sizeof(on);
  if (getsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, &length) == 0 && on != 0)
    return Stamping::kWasOn;
  return SetStamps(fd, 1) ? Stamping::kSwitchedOn : Stamping::kUnavailable;
}

void DoNotStampArrivals(int fd) { SetStamps(fd, 0); }

namespace {

int64_t StampIn(msghdr* message) {
  const cmsghdr* const header = CMSG_FIRSTHDR(message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET ||
      header->cmsg_type != SCM_TIMESTAMPNS) {
    return 0;
  }
  timespec stamp;
  std::memcpy(&stamp, CMSG_DATA(header), sizeof(stamp));
  return int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
}

}  // namespace

ssize_t ReadStamped(int fd, void* data, size_t size, int64_t* realtime_ns) {
  *realtime_ns = 0;
  if (receive_message.refused()) [[unlikely]] {
    errno = ENOTSOCK;
    return -1;
  }
  iovec part{data, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  // recvmsg(2), less glibc's entry into a cancellation point.
  const ssize_t bytes = syscall(SYS_recvmsg, fd, &message, 0);
  if (bytes <= 0) [[unlikely]] {
    if (!receive_message.IsRefusal(bytes, fd, size > 0)) return bytes;
    errno = ENOTSOCK;
    return -1;
  }
  *realtime_ns = StampIn(&message);
  return bytes;
}

ssize_t ReceiveStamped(int fd, void* data, size_t size, int flags,
                       sockaddr* address, socklen_t* length,
                       int64_t* realtime_ns) {
  *realtime_ns = 0;
  if (receive_message.refused()) [[unlikely]] {
    return recvfrom(fd, data, size, flags, address, length);
  }
  iovec part{data, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  msghdr message{};
  message.msg_name = address;
  message.msg_namelen = address != nullptr && length != nullptr ? *length : 0;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t bytes = recvmsg(fd, &message, flags);
  if (bytes < 0) return bytes;
  if (address != nullptr && length != nullptr) *length = message.msg_namelen;
  *realtime_ns = StampIn(&message);
  return bytes;
}

}  // namespace edgewise
