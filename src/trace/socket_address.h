#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "trace/record.h"

namespace edgewise {

// One end of a TCP connection.
struct SocketAddress {
  std::array<uint8_t, 16> ip;  // of IPv4: ::ffff:a.b.c.d
  uint16_t port;

  auto operator<=>(const SocketAddress&) const = default;

  // Of one machine, or container: 127.0.0.0/8 and ::1.
  bool IsLoopback() const;
  // Of somebody's own network, and nobody's on the internet: RFC 1918, 3927,
  // 4193, 4291 and 6598, and loopback.
  bool IsPrivate() const;

 private:
  bool IsMapped() const;
};

// A record of kind kAddress.
void PutAddress(const SocketAddress& address, AddressSide side,
                uint32_t connection, Record* record);
SocketAddress AddressIn(const Record& record);

}  // namespace edgewise
