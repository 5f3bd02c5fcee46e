#include "recorder/host_names.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recorder/protocol/hash.h"

namespace edgewise {
namespace {

bool IsHostCharacter(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
         c == '.' || c == '-' || c == '_';
}

}  // namespace

// Copied: a caller's need not be aligned.
HostNames::Address HostNames::AddressOf(const sockaddr* address,
                                        unsigned length) {
  constexpr size_t kFamilyAt = offsetof(sockaddr, sa_family);
  Address found;
  sa_family_t family = AF_UNSPEC;
  if (address == nullptr || length < kFamilyAt + sizeof(family)) return found;
  const auto* const bytes = reinterpret_cast<const char*>(address);
  std::memcpy(&family, bytes + kFamilyAt, sizeof(family));
  if (family == AF_INET && length >= sizeof(sockaddr_in)) {
    found.length = sizeof(in_addr);
    std::memcpy(found.bytes.data(), bytes + offsetof(sockaddr_in, sin_addr),
                found.length);
  } else if (family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    found.length = sizeof(in6_addr);
    std::memcpy(found.bytes.data(), bytes + offsetof(sockaddr_in6, sin6_addr),
                found.length);
  }
  return found;
}

size_t HostNames::PlaceOf(const Address& address) {
  return HashBytes(address.bytes.data(), address.length, 0) % kHosts;
}

void HostNames::Note(const sockaddr* address, unsigned length,
                     std::string_view host) {
  const Address found = AddressOf(address, length);
  if (found.length == 0 || host.empty()) return;
  OperationText name;
  if (host.size() > OperationText::kCapacity) return;
  for (const char c : host) {
    if (!IsHostCharacter(c)) return;
    name.AppendLowerCase(c);
  }
  hosts_[PlaceOf(found)] = {found, name};
}

std::string_view HostNames::Of(const sockaddr* address, unsigned length) const {
  const Address wanted = AddressOf(address, length);
  if (wanted.length == 0) return {};
  const Entry& entry = hosts_[PlaceOf(wanted)];
  return entry.address == wanted ? entry.host.view() : std::string_view();
}

std::string NamedPeer(std::string_view host, std::string peer) {
  if (host.empty() || peer.empty()) return peer;
  return absl::StrCat(std::string(host), " (", peer, ")");
}

}  // namespace edgewise
