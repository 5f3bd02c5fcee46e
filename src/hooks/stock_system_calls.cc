// The part of the provider that is told of the loop's reads.

#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "hooks/arrival.h"
#include "hooks/stock_provider.h"

namespace edgewise {
namespace {

// What libuv's signal handler writes to the loop's signal pipe.
struct SignalMessage {
  uv_signal_t* handle;
  int signal;
};
constexpr ssize_t kSignalBytes = sizeof(SignalMessage);

// Which of them are of children's ends, as OpenEvent has them.
int64_t ChildrenIn(const void* data, ssize_t bytes) {
  const auto is_child = [data](ssize_t i) {
    SignalMessage message;
    std::memcpy(&message, static_cast<const char*>(data) + i * kSignalBytes,
                sizeof(message));
    return message.signal == SIGCHLD;
  };
  ssize_t i = bytes / kSignalBytes - 1;
  int64_t children = is_child(i) ? -1 : 0;
  while (i-- > 0) children = children * 2 + (is_child(i) ? 1 : 0);
  return children;
}

}  // namespace

// Reads that JavaScript makes (fs.readSync) are part of the running event, not
// the begin of another. Only files and pipes are read like that.
bool StockProvider::ReadByLoop(int fd) const {
  return fd == loop_->async_io_watcher.fd ||
         fd == loop_->signal_io_watcher.fd || !InJavaScript();
}

// What is not the loop's is read by JavaScript, by a loop that spawnSync() has
// made, or by libuv's handler of signals. What is known of its number may be of
// a connection that had it before, and is asked anew when the loop gets it.
SystemCallObserver::Reading StockProvider::BeforeRead(int fd) {
  if (!IsLoops(fd)) return Reading::kUnseen;
  const Descriptors::Descriptor descriptor = descriptors_.Of(fd);
  if (!descriptor.stamped) return Reading::kOther;
  // The event begins when the kernel has agreed that it is a socket.
  stamped_began_ = tracker_->BeforeIo(fd, descriptor.watched);
  return Reading::kStamped;
}

void StockProvider::AfterStampedRead(int fd, int64_t arrival_realtime_ns,
                                     const void* data, ssize_t bytes) {
  tracker_->IoBegan(EventType::kTcpRead, fd, stamped_began_);
  Connection* const connection = connections_.Of(fd);
  tracker_->IoEnd(arrival_realtime_ns, OffsetsOf(connection));
  NoteAnswer(connection, data, bytes);
}

void StockProvider::BeforeOtherRead(int fd) {
  const Descriptors::Descriptor descriptor = descriptors_.Of(fd);
  reading_ = ReadByLoop(fd);
  if (reading_) tracker_->IoBegin(descriptor.type, fd, descriptor.watched);
}

void StockProvider::AfterOtherRead(int fd, const void* data, ssize_t bytes) {
  if (!reading_) return;
  uint64_t count = 0;  // of an eventfd
  if (fd == loop_->async_io_watcher.fd &&
      bytes == static_cast<ssize_t>(sizeof(count))) {
    std::memcpy(&count, data, sizeof(count));
    tracker_->WokenBy(count);
  }
  Connection* const connection = connections_.Of(fd);
  tracker_->IoEnd(/*arrival_realtime_ns=*/0, OffsetsOf(connection));
  NoteAnswer(connection, data, bytes);
  if (fd != loop_->signal_io_watcher.fd) return;
  if (bytes >= kSignalBytes) tracker_->SignalsRead(ChildrenIn(data, bytes));
}

void StockProvider::BeforeReceive(int fd) {
  reading_ = IsLoops(fd);
  if (!reading_) return;
  const Descriptors::Descriptor descriptor = descriptors_.Of(fd);
  const bool may_be_script = descriptor.type == EventType::kPipeRead ||
                             descriptor.type == EventType::kPoll;
  reading_ = !may_be_script || ReadByLoop(fd);
  if (reading_) tracker_->IoBegin(descriptor.type, fd, descriptor.watched);
}

void StockProvider::AfterReceive(int) {
  if (reading_) tracker_->IoEnd(/*arrival_realtime_ns=*/0);
}

void StockProvider::AfterNamesReceived(int fd, const void* data, ssize_t bytes,
                                       int64_t arrival_realtime_ns) {
  if (bytes < 0 && errno == EAGAIN) return;
  // libuv gives up a file that has an error before it says so.
  if (!reading_) tracker_->IoBegin(EventType::kUdpRead, fd, /*watched=*/true);
  tracker_->IoEnd(arrival_realtime_ns);
  tracker_->NameReceived(fd, static_cast<const uint8_t*>(data), bytes);
}

void StockProvider::AfterNamesSent(int fd, const void* data, size_t bytes) {
  int type = 0;
  socklen_t length = sizeof(type);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0) return;
  StampArrivals(fd);
  if (Connection* const connection = Asking(fd)) Established(fd, connection);
  tracker_->NameSent(fd, type == SOCK_STREAM, static_cast<const uint8_t*>(data),
                     bytes);
}

void StockProvider::AfterAccept(int listening_fd, int new_fd) {
  if (!reading_) return;
  tracker_->Accepted(new_fd);
  if (new_fd < 0) return;
  descriptors_.Accepted(new_fd);
  const Connection* const connection =
      connections_.Begin(new_fd, ConnectionRole::kAccepted);
  if (connection == nullptr) return;
  tracker_->ConnectionBegan(*connection, new_fd, 0);
  NoteAddresses(new_fd, *connection, nullptr, 0);
}
}  // namespace edgewise
