#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace edgewise {

// How far a connection has come for its program: what it has read, and handed
// to the kernel.
struct TcpPosition {
  uint64_t read_bytes;
  uint64_t written_bytes;
};

// Of an established connection of TCP whose begin was not seen. `opened`: by
// this side, whose SYN counts as a byte. Nothing: it is none, or the kernel
// does not tell (before Linux 4.1).
std::optional<TcpPosition> TcpPositionOf(int fd, bool opened);

// The connections of TCP that the process has. Whoever has a port that somebody
// listens on has accepted; where that cannot be known, there are none.
struct OpenConnection {
  int fd;
  bool opened;
};
std::vector<OpenConnection> OpenConnections();

}  // namespace edgewise
