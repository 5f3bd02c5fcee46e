#pragma once

#include <cstdint>
#include <string>

#include "absl/hash/hash.h"
#include "trace/record.h"
#include "trace/socket_address.h"

namespace edgewise {

// Where one end of a connection is.
struct ConnectionAddress {
  uint32_t connection;  // its number
  AddressSide side;
  SocketAddress address;
};

// What both ends of a TCP connection are known by, in whatever traces: the same
// for both, and for one that is made later from the same port. `place`: where
// loopback addresses are; others are taken to be the same everywhere.
class ConnectionEnds {
 public:
  void Set(AddressSide side, const SocketAddress& address) {
    (side == AddressSide::kOwn ? own_ : peer_) = address;
    known_ |= 1U << static_cast<unsigned>(side);
  }
  // 0: an end is not known.
  uint64_t Link(ConnectionRole role, const std::string& place) const {
    if (known_ != 3) return 0;
    const bool opened = role == ConnectionRole::kOpened;
    const SocketAddress& opener = opened ? own_ : peer_;
    const SocketAddress& acceptor = opened ? peer_ : own_;
    const bool local = own_.IsLoopback() || peer_.IsLoopback();
    const uint64_t link =
        absl::HashOf(opener.ip, opener.port, acceptor.ip, acceptor.port,
                     local ? place : std::string());
    return link != 0 ? link : 1;
  }

 private:
  SocketAddress own_{};
  SocketAddress peer_{};
  unsigned known_ = 0;
};

}  // namespace edgewise
