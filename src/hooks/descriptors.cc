#include "hooks/descriptors.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstddef>

#include "hooks/arrival.h"
#include "hooks/direct_io.h"

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
  const bool accepted = Entry(fd).accepted;
  // A number may have become another file's: ask, even for a known one.
  const Descriptor descriptor = Classify(fd);
  if (watcher == nullptr || !descriptor.watched) return;
  if (descriptor.from_client) {
    watcher->WatchAccepted(fd);
  } else if (watcher->Watch(fd, accepted)) {
    watcher->Listen(fd, descriptor.type == EventType::kAccept);
  }
}

void Descriptors::Accepted(int fd) { Entry(fd) = {.accepted = true}; }

Descriptors::Descriptor& Descriptors::Entry(int fd) {
  const auto index = static_cast<size_t>(fd);
  if (index >= known_.size()) known_.resize(index + 64);
  return known_[index];
}

Descriptors::Descriptor Descriptors::Classify(int fd) {
  Descriptor& known = Entry(fd);
  const EventType type = AskKernel(fd);
  if (type != EventType::kTcpRead && type != EventType::kAccept) {
    return known = {type};
  }
  // A connection that the application made (to a database, which answers many
  // requests on it) is watched too: what arrives there bit by bit while the
  // loop is busy keeps the last bit's stamp only. Accepted ones inherit the
  // option; one that lacked it was not accepted, nor was one that was known to
  // lack it, as long as no other is accepted under its number.
  const Stamping stamping = StampArrivals(fd);
  const bool accepted =
      stamping == Stamping::kWasOn &&
      (known.type != EventType::kTcpRead || known.from_client);
  const bool connection = type == EventType::kTcpRead;
  if (connection) NoteStreamSocket(fd);
  const bool stamped = connection && stamping != Stamping::kUnavailable;
  return known = {.type = type,
                  .stamped = stamped,
                  .from_client = stamped && accepted};
}

// Of this loop's handles only: other numbers that are known may be other
// threads' files by now.
void Descriptors::Forget() {
  const uv_walk_cb forget_stamps = [](uv_handle_t* handle, void* self) {
    const std::vector<Descriptor>& known =
        static_cast<Descriptors*>(self)->known_;
    uv_os_fd_t fd;
    if (uv_fileno(handle, &fd) != 0) return;
    const auto index = static_cast<size_t>(fd);
    if (index >= known.size()) return;
    const EventType type = known[index].type;
    if (type == EventType::kTcpRead || type == EventType::kAccept ||
        type == EventType::kUdpRead) {
      DoNotStampArrivals(fd);
    }
  };
  uv_walk(loop_, forget_stamps, this);
  known_.clear();
}

EventType Descriptors::AskKernel(int fd) const {
  if (fd == loop_->async_io_watcher.fd) return EventType::kMessage;
  if (fd == loop_->signal_io_watcher.fd) return EventType::kSignal;
  if (fd == loop_->inotify_fd) return EventType::kFsEvent;
  if (SocketOption(fd, SO_PROTOCOL) == IPPROTO_TCP) {
    return SocketOption(fd, SO_ACCEPTCONN) == 1 ? EventType::kAccept
                                                : EventType::kTcpRead;
  }
  struct stat info;
  if (fstat(fd, &info) != 0) return EventType::kUnknown;
  if (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))
    return EventType::kPipeRead;
  if (!S_ISSOCK(info.st_mode)) return EventType::kPoll;
  if (SocketOption(fd, SO_ACCEPTCONN) == 1) return EventType::kAccept;
  if (SocketOption(fd, SO_TYPE) == SOCK_DGRAM) return EventType::kUdpRead;
  return EventType::kPipeRead;
}

}  // namespace edgewise
