#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "boost/daemon/local_socket.h"
#include "platform/thread.h"

namespace edgewise {

// Closes sockets in a thread of its own. What a stranger has sent to one by
// SCM_RIGHTS and nobody has received is closed with it, and that may take as
// long as the stranger likes: a TCP socket with SO_LINGER.
class SocketCloser {
 public:
  // Unavailable: there is no thread to be had.
  static absl::StatusOr<std::unique_ptr<SocketCloser>> Start();
  // Waits for what is being closed.
  ~SocketCloser();
  SocketCloser(const SocketCloser&) = delete;
  SocketCloser& operator=(const SocketCloser&) = delete;

  // The other end sees it at once.
  void Close(OwnedFd socket);

  // Sockets that are not closed yet.
  size_t waiting() const;

 private:
  SocketCloser() = default;
  void Run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<OwnedFd> sockets_;
  bool closing_ = false;  // one that is in sockets_ no longer
  bool stop_ = false;
  HelperThread thread_;
};

}  // namespace edgewise
