#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>

#include "trace/socket_address.h"

namespace edgewise {

// What both ends of a connected Unix socket are known by: the number that the
// kernel has given to that of the two which has connected. Of an accepted one
// the kernel is asked for its peer (sock_diag(7)). For one thread.
class UnixEnds {
 public:
  UnixEnds() = default;
  ~UnixEnds();
  UnixEnds(const UnixEnds&) = delete;
  UnixEnds& operator=(const UnixEnds&) = delete;

  // Nothing: it is not told.
  std::optional<SocketAddress> Of(int fd, bool opened);

 private:
  bool Open();
  std::optional<uint32_t> PeerOf(uint32_t inode);

  static constexpr int kNotYet = -1;
  static constexpr int kRefused = -2;
  int diag_ = kNotYet;
  uint32_t asked_ = 0;
};

}  // namespace edgewise
