#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

#include "boost/daemon/local_socket.h"

namespace edgewise {

// Closes sockets in a thread of its own. What a stranger has sent to one by
// SCM_RIGHTS and nobody has received is closed with it, and that may take as
// long as the stranger likes: a TCP socket with SO_LINGER.
class SocketCloser {
 public:
  SocketCloser();
  // Waits for what is being closed.
  ~SocketCloser();
  SocketCloser(const SocketCloser&) = delete;
  SocketCloser& operator=(const SocketCloser&) = delete;

  // The other end sees it at once.
  void Close(OwnedFd socket);

  // Sockets that are not closed yet.
  size_t waiting() const;

 private:
  void Run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<OwnedFd> sockets_;
  bool closing_ = false;  // one that is in sockets_ no longer
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace edgewise
