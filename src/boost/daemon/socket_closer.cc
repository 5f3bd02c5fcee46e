#include "boost/daemon/socket_closer.h"

#include <sys/socket.h>

#include <utility>

#include "absl/memory/memory.h"

namespace edgewise {

absl::StatusOr<std::unique_ptr<SocketCloser>> SocketCloser::Start() {
  auto closer = absl::WrapUnique(new SocketCloser);
  auto thread = HelperThread::Start("edgewise-closer",
                                    [it = closer.get()] { it->Run(); });
  if (!thread.ok()) return thread.status();
  closer->thread_ = *std::move(thread);
  return closer;
}

SocketCloser::~SocketCloser() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SocketCloser::Close(OwnedFd socket) {
  shutdown(socket.get(), SHUT_RDWR);
  {
    const std::lock_guard lock(mutex_);
    sockets_.push_back(std::move(socket));
  }
  changed_.notify_one();
}

size_t SocketCloser::waiting() const {
  const std::lock_guard lock(mutex_);
  return sockets_.size() + (closing_ ? 1 : 0);
}

void SocketCloser::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !sockets_.empty(); });
    if (sockets_.empty()) return;
    {
      const OwnedFd socket = std::move(sockets_.front());
      sockets_.pop_front();
      closing_ = true;
      lock.unlock();
    }
    lock.lock();
    closing_ = false;
  }
}

}  // namespace edgewise
