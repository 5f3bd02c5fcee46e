#include "hooks/tcp_position.h"

#include <dirent.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace edgewise {
namespace {

constexpr uint8_t kEstablished = 1;
constexpr unsigned kListens = 10;

// What TCP_INFO says of a connection since Linux 4.1; the C library's header is
// older.
struct Info {
  uint8_t state;
  uint8_t flags[7];
  uint32_t words[24];
  uint64_t pacing_rate;
  uint64_t most_pacing_rate;
  uint64_t bytes_acked;
  uint64_t bytes_received;
};
static_assert(sizeof(Info) == 136);

bool InfoOf(int fd, Info* info) {
  socklen_t length = sizeof(*info);
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) == 0 &&
         length == sizeof(*info) && info->state == kEstablished;
}

// 0: it has none.
uint16_t OwnPort(int fd) {
  union {
    sockaddr any;
    sockaddr_in ip4;
    sockaddr_in6 ip6;
  } address{};
  socklen_t length = sizeof(address);
  if (getsockname(fd, &address.any, &length) != 0) return 0;
  if (address.any.sa_family == AF_INET) return ntohs(address.ip4.sin_port);
  return address.any.sa_family == AF_INET6 ? ntohs(address.ip6.sin6_port) : 0;
}

// In the network namespace of the process. False: it cannot be read.
bool AddListening(const char* table, std::set<uint16_t>* ports) {
  FILE* const file = fopen(table, "re");
  if (file == nullptr) return false;
  char line[512];
  while (fgets(line, sizeof(line), file) != nullptr) {
    unsigned port = 0;
    unsigned state = 0;
    // "  0: 0100007F:1F90 00000000:0000 0A ..."
    const bool read = sscanf(line, "%*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x",
                             &port, &state) == 2;
    if (read && state == kListens) ports->insert(static_cast<uint16_t>(port));
  }
  fclose(file);
  return true;
}

}  // namespace

std::optional<TcpPosition> TcpPositionOf(int fd, bool opened) {
  const int error = errno;
  Info info{};
  int unread = 0;
  int unacknowledged = 0;
  const bool known = InfoOf(fd, &info) && ioctl(fd, FIONREAD, &unread) == 0 &&
                     ioctl(fd, SIOCOUTQ, &unacknowledged) == 0;
  errno = error;
  const uint64_t syn = opened ? 1 : 0;
  if (!known || info.bytes_received < static_cast<uint64_t>(unread) ||
      info.bytes_acked + static_cast<uint64_t>(unacknowledged) < syn) {
    return std::nullopt;
  }
  return TcpPosition{
      info.bytes_received - static_cast<uint64_t>(unread),
      info.bytes_acked + static_cast<uint64_t>(unacknowledged) - syn};
}

std::vector<OpenConnection> OpenConnections() {
  const int error = errno;
  std::vector<OpenConnection> found;
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return found;
  while (const dirent* const entry = readdir(directory)) {
    char* end = nullptr;
    const long fd = strtol(entry->d_name, &end, 10);
    Info info{};
    if (end == entry->d_name || !InfoOf(static_cast<int>(fd), &info)) continue;
    found.push_back({static_cast<int>(fd), false});
  }
  closedir(directory);
  std::set<uint16_t> listening;
  if (!found.empty()) {
    const bool known = AddListening("/proc/self/net/tcp", &listening);
    AddListening("/proc/self/net/tcp6", &listening);
    if (!known) found.clear();
  }
  for (OpenConnection& connection : found) {
    connection.opened = !listening.contains(OwnPort(connection.fd));
  }
  errno = error;
  return found;
}

}  // namespace edgewise
