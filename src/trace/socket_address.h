#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "trace/record.h"

namespace edgewise {

// One end of a TCP connection; or of a Unix socket both.
struct SocketAddress {
  std::array<uint8_t, 16> ip;  // of IPv4: ::ffff:a.b.c.d
  uint16_t port;

  auto operator<=>(const SocketAddress&) const = default;

  // Of a Unix socket, by the number of what has connected it.
  static SocketAddress OfUnix(uint32_t inode);

  // Of one machine, or container: 127.0.0.0/8, ::1, and Unix sockets.
  bool IsLoopback() const;
  // Of somebody's own network, and nobody's on the internet: RFC 1918, 3927,
  // 4193, 4291 and 6598, and loopback.
  bool IsPrivate() const;

 private:
  bool IsMapped() const;
  bool IsUnix() const;
};

// A record of kind kAddress.
void PutAddress(const SocketAddress& address, AddressSide side,
                uint32_t connection, Record* record);
SocketAddress AddressIn(const Record& record);

}  // namespace edgewise
