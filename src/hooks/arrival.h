#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace edgewise {

// The kernel's own time of arrival of what a socket receives
// (SO_TIMESTAMPNS), which TCP has given with recvmsg() since Linux 4.17. It is
// taken as the packet comes in, whatever the loop and this machine's
// schedulers do meanwhile; sockets that a listening socket accepts inherit the
// option.

// Whether this kernel stamps, and else why not.
absl::Status CanStampArrivals();

enum class Stamping { kUnavailable, kWasOn, kSwitchedOn };

// Has the kernel stamp what arrives on `fd`.
Stamping StampArrivals(int fd);
void DoNotStampArrivals(int fd);

// read(2) of a stamped socket. `*realtime_ns`: when the last of the bytes
// arrived (CLOCK_REALTIME); 0: not said. Reads nothing of what is no socket, or
// where a sandbox refuses recvmsg: ENOTSOCK.
[[gnu::hot]] ssize_t ReadStamped(int fd, void* data, size_t size,
                                 int64_t* realtime_ns);

// recvfrom(2), and when the last of the bytes arrived, as above.
ssize_t ReceiveStamped(int fd, void* data, size_t size, int flags,
                       sockaddr* address, socklen_t* length,
                       int64_t* realtime_ns);

}  // namespace edgewise
