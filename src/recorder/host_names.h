#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "recorder/protocol/operation_text.h"

struct sockaddr;

namespace edgewise {

// Which names this thread has resolved to which addresses: the peer of a
// connection is known by address only. Loop thread only.
class HostNames {
 public:
  // `host` has this address; its port does not matter.
  void Note(const sockaddr* address, unsigned length, std::string_view host);

  // The name that was resolved to it last; "": none that is known.
  std::string_view Of(const sockaddr* address, unsigned length) const;

 private:
  struct Address {
    std::array<uint8_t, 16> bytes{};
    uint8_t length = 0;  // 0: none
    bool operator==(const Address&) const = default;
  };
  struct Entry {
    Address address;
    OperationText host;
  };
  static constexpr size_t kHosts = 128;

  static Address AddressOf(const sockaddr* address, unsigned length);
  static size_t PlaceOf(const Address& address);

  std::array<Entry, kHosts> hosts_{};  // by hash: a newcomer takes the place
};

// "cache.internal (10.0.0.7:6379)"; without a name the peer as it is.
std::string NamedPeer(std::string_view host, std::string peer);

}  // namespace edgewise
