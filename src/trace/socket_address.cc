#include "trace/socket_address.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace edgewise {
namespace {

constexpr size_t kMappedBytes = 12;  // before an IPv4 address
// 100::/64, which nobody has (RFC 6666); then the number of a Unix socket.
constexpr uint8_t kUnix = 1;

}  // namespace

bool SocketAddress::IsMapped() const {
  constexpr std::array<uint8_t, kMappedBytes> kMapped = {
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kMapped.begin(), kMapped.end(), ip.begin());
}

SocketAddress SocketAddress::OfUnix(uint32_t inode) {
  SocketAddress address{};
  address.ip[0] = kUnix;
  std::memcpy(&address.ip[kMappedBytes], &inode, sizeof(inode));
  return address;
}

bool SocketAddress::IsUnix() const {
  return ip[0] == kUnix &&
         std::all_of(ip.begin() + 1, ip.begin() + kMappedBytes,
                     [](uint8_t byte) { return byte == 0; });
}

bool SocketAddress::IsLoopback() const {
  if (IsUnix()) return true;
  if (IsMapped()) return ip[kMappedBytes] == 127;
  return ip.back() == 1 && std::all_of(ip.begin(), ip.end() - 1,
                                       [](uint8_t byte) { return byte == 0; });
}

bool SocketAddress::IsPrivate() const {
  if (IsLoopback()) return true;
  if (!IsMapped()) {
    const bool unique_local = (ip[0] & 0xfe) == 0xfc;
    const bool link_local = ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80;
    return unique_local || link_local;
  }
  const uint8_t first = ip[kMappedBytes];
  const uint8_t second = ip[kMappedBytes + 1];
  return first == 10 || (first == 172 && (second & 0xf0) == 16) ||
         (first == 192 && second == 168) || (first == 169 && second == 254) ||
         (first == 100 && (second & 0xc0) == 64);
}

void PutAddress(const SocketAddress& address, AddressSide side,
                uint32_t connection, Record* record) {
  record->kind = RecordKind::kAddress;
  record->type = static_cast<uint8_t>(side);
  record->aux = connection;
  record->id_lo = address.port;
  std::memcpy(static_cast<void*>(record), address.ip.data(), address.ip.size());
}

SocketAddress AddressIn(const Record& record) {
  SocketAddress address{};
  std::memcpy(address.ip.data(), &record, address.ip.size());
  address.port = static_cast<uint16_t>(record.id_lo);
  return address;
}

}  // namespace edgewise
