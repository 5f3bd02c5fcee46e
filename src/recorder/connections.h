#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "recorder/protocol/conversation.h"
#include "trace/record.h"
#include "trace/socket_address.h"

struct sockaddr;

namespace edgewise {

// A stream that this thread has accepted or opened, or has to a child process.
struct Connection {
  uint32_t number = 0;  // 0: none
  ConnectionRole role = ConnectionRole::kAccepted;
  bool connecting = false;  // opened, and not known yet to be established
  bool answered = true;     // bytes were read since the last question
  bool streams = false;     // HTTP/2's questions are told by who asks
  bool shaken = false;  // bytes were read at all: where TLS is spoken, of its
                        // handshake
  uint64_t written_bytes = 0;
  uint64_t polled_bytes = 0;  // written when the loop was told to go on writing
  uint64_t read_bytes = 0;
  uint32_t operation = 0;  // the string id of what was asked last; 0: no name
  uint32_t told = 0;  // the same, of what TLS hides, by who asks; 0: not told
  // TraceContext::Key() of what waits for the handshake of TLS; 0: none.
  uint64_t context = 0;
  Conversation talk{};  // opened
  // The slice that asked last, and the async id that it ran under.
  static constexpr uint64_t kNoSlice = UINT64_MAX;
  uint64_t asked_sequence = 0;
  uint64_t asked_id = 0;
};

// The connections of one thread by descriptor, each from its begin to its end.
// Loop thread only; Of() also for a handler of signals that interrupts it.
class Connections {
 public:
  Connections();

  // Descriptors from this number on are not followed.
  static constexpr int kMaxFds = 1 << 16;

  // The connection that has the descriptor; null: none that is known.
  Connection* Of(int fd) {
    if (static_cast<unsigned>(fd) >= fds_) return nullptr;
    Connection& connection = by_fd_[fd];
    return connection.number != 0 ? &connection : nullptr;
  }

  // `fd` is a new one, whatever it was before; null where it is not followed.
  Connection* Begin(int fd, ConnectionRole role);

  void End(int fd) {
    if (Connection* const connection = Of(fd)) *connection = {};
  }

  void Clear();

  // `visit(fd, connection)` for each that is open.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (unsigned fd = 0; fd < fds_; ++fd) {
      if (by_fd_[fd].number != 0) visit(static_cast<int>(fd), by_fd_[fd]);
    }
  }

 private:
  // Zero pages until touched: 3 MB of addresses, not of memory. It never moves.
  struct Free {
    void operator()(Connection* connections) const;
  };
  std::unique_ptr<Connection[], Free> by_fd_;
  unsigned fds_ = 0;  // descriptors below it may have one
  uint32_t last_number_ = 0;
};

// The port of a socket's peer; 0: it has none.
uint16_t PeerPort(const sockaddr* address, unsigned length);

// Nothing where it is none of IP's.
std::optional<SocketAddress> AddressOf(const sockaddr* address,
                                       unsigned length);

// Where a socket's peer is, as text: "10.0.0.7:6379", "[::1]:80", the path of a
// Unix socket ("@name" of an abstract one); "" where it has no name.
std::string PeerText(const sockaddr* address, unsigned length);

}  // namespace edgewise
