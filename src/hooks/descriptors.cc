#include "hooks/descriptors.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <cstddef>

namespace edgewise {
namespace {

int SocketOption(int fd, int option) {
  int value = 0;
  socklen_t length = sizeof(value);
  return getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

}  // namespace

void Descriptors::Discover(ReadyWatcher* watcher) {
  // struct uv__queue is {next, prev}; older headers spell it void*[2].
  void* const head = &loop_->watcher_queue;
  for (void* node = *static_cast<void**>(head); node != head;
       node = *static_cast<void**>(node)) {
    const auto* io = reinterpret_cast<const uv__io_t*>(
        static_cast<const char*>(node) - offsetof(uv__io_t, watcher_queue));
    if (io->fd >= 0 && io->pevents != 0) Add(io->fd, watcher);
  }
}

void Descriptors::DiscoverAll(ReadyWatcher* watcher) {
  for (unsigned fd = 0; fd < loop_->nwatchers; ++fd) {
    if (loop_->watchers[fd] != nullptr) Add(static_cast<int>(fd), watcher);
  }
}

void Descriptors::Add(int fd, ReadyWatcher* watcher) {
  // A descriptor that the helper's epoll did not know is a new file, whatever
  // its number was before; without a helper ask again each time.
  if (watcher != nullptr && !watcher->Watch(fd)) return;
  const bool listens = Classify(fd) == EventType::kAccept;
  if (watcher != nullptr) watcher->Listen(fd, listens);
}

EventType Descriptors::Classify(int fd) {
  const auto index = static_cast<size_t>(fd);
  if (index >= types_.size()) types_.resize(index + 64, EventType::kUnknown);
  return types_[index] = AskKernel(fd);
}

EventType Descriptors::AskKernel(int fd) const {
  if (fd == loop_->async_io_watcher.fd) return EventType::kMessage;
  if (fd == loop_->signal_io_watcher.fd) return EventType::kSignal;
  if (fd == loop_->inotify_fd) return EventType::kFsEvent;
  struct stat info;
  if (fstat(fd, &info) != 0) return EventType::kUnknown;
  if (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))
    return EventType::kPipeRead;
  if (!S_ISSOCK(info.st_mode)) return EventType::kPoll;
  if (SocketOption(fd, SO_ACCEPTCONN) == 1) return EventType::kAccept;
  const int family = SocketOption(fd, SO_DOMAIN);
  if (SocketOption(fd, SO_TYPE) == SOCK_DGRAM) return EventType::kUdpRead;
  return family == AF_UNIX ? EventType::kPipeRead : EventType::kTcpRead;
}

}  // namespace edgewise
