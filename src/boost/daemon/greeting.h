#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "boost/daemon/local_socket.h"
#include "boost/daemon/protocol.h"

namespace edgewise {

struct Greeted {
  OwnedFd socket;
  Received received;  // of the answer's size
};

// A client's half of the handshake: connects to the daemon, says `hello` and
// receives its answer and the descriptors that come with it. Takes seconds at
// most. Unavailable: no daemon answers, or it is full. PermissionDenied: not
// for this user. InvalidArgument: frequencies. FailedPrecondition: the daemon
// is of another version.
absl::StatusOr<Greeted> Greet(const std::string& socket_path,
                              const Hello& hello, std::span<std::byte> answer,
                              size_t fds_wanted);

}  // namespace edgewise
