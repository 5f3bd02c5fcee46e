#include "recorder/connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

// Addresses are copied: a caller's need not be aligned.
template <typename Address>
bool Take(const sockaddr* from, unsigned length, Address* to) {
  if (length < sizeof(*to)) return false;
  std::memcpy(to, from, sizeof(*to));
  return true;
}

sa_family_t FamilyOf(const sockaddr* address, unsigned length) {
  constexpr size_t kFamilyAt = offsetof(sockaddr, sa_family);
  sa_family_t family = AF_UNSPEC;
  if (address == nullptr || length < kFamilyAt + sizeof(family)) return family;
  std::memcpy(&family, reinterpret_cast<const char*>(address) + kFamilyAt,
              sizeof(family));
  return family;
}

std::string InternetText(int family, const void* address, uint16_t port) {
  char text[INET6_ADDRSTRLEN];
  if (inet_ntop(family, address, text, sizeof(text)) == nullptr) return "";
  return family == AF_INET6
             ? absl::StrCat("[", static_cast<const char*>(text),
                            "]:", ntohs(port))
             : absl::StrCat(static_cast<const char*>(text), ":", ntohs(port));
}

std::string PathText(const sockaddr* address, unsigned length) {
  constexpr size_t kPathAt = offsetof(sockaddr_un, sun_path);
  if (length <= kPathAt) return "";
  const char* const path = reinterpret_cast<const char*>(address) + kPathAt;
  const size_t room = length - kPathAt;
  if (path[0] != '\0') return std::string(path, strnlen(path, room));
  std::string name(path, room);
  name[0] = '@';
  return name;
}

}  // namespace

void Connections::Free::operator()(Connection* connections) const {
  std::free(connections);
}

Connections::Connections()
    : by_fd_(
          static_cast<Connection*>(std::calloc(kMaxFds, sizeof(Connection)))) {}

Connection* Connections::Begin(int fd, ConnectionRole role) {
  if (by_fd_ == nullptr || fd < 0 || fd >= kMaxFds) return nullptr;
  fds_ = std::max(fds_, static_cast<unsigned>(fd) + 1);
  Connection& connection = by_fd_[fd];
  connection = {};
  connection.number = ++last_number_;
  connection.role = role;
  connection.connecting = role == ConnectionRole::kOpened;
  return &connection;
}

void Connections::Clear() {
  std::fill_n(by_fd_.get(), std::exchange(fds_, 0), Connection{});
}

uint16_t PeerPort(const sockaddr* address, unsigned length) {
  const sa_family_t family = FamilyOf(address, length);
  sockaddr_in ip4{};
  sockaddr_in6 ip6{};
  if (family == AF_INET && Take(address, length, &ip4)) {
    return ntohs(ip4.sin_port);
  }
  if (family == AF_INET6 && Take(address, length, &ip6)) {
    return ntohs(ip6.sin6_port);
  }
  return 0;
}

std::optional<SocketAddress> AddressOf(const sockaddr* address,
                                       unsigned length) {
  const sa_family_t family = FamilyOf(address, length);
  SocketAddress found{};
  sockaddr_in ip4{};
  sockaddr_in6 ip6{};
  if (family == AF_INET && Take(address, length, &ip4)) {
    found.ip[10] = found.ip[11] = 0xff;
    std::memcpy(found.ip.data() + 12, &ip4.sin_addr, sizeof(ip4.sin_addr));
    found.port = ntohs(ip4.sin_port);
    return found;
  }
  if (family == AF_INET6 && Take(address, length, &ip6)) {
    std::memcpy(found.ip.data(), &ip6.sin6_addr, sizeof(ip6.sin6_addr));
    found.port = ntohs(ip6.sin6_port);
    return found;
  }
  return std::nullopt;
}

std::string PeerText(const sockaddr* address, unsigned length) {
  const sa_family_t family = FamilyOf(address, length);
  sockaddr_in ip4{};
  sockaddr_in6 ip6{};
  if (family == AF_INET && Take(address, length, &ip4)) {
    return InternetText(AF_INET, &ip4.sin_addr, ip4.sin_port);
  }
  if (family == AF_INET6 && Take(address, length, &ip6)) {
    return InternetText(AF_INET6, &ip6.sin6_addr, ip6.sin6_port);
  }
  if (family == AF_UNIX) return PathText(address, length);
  return "";
}

}  // namespace edgewise
