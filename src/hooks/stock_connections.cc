// The part of the provider that follows connections: what the application opens
// and asks there (VEE'19 section 4.1: an event is registered by whoever asked
// for it, which on a connection is its latest question).

#include <sys/socket.h>

#include <memory>

#include "hooks/stock_provider.h"

namespace edgewise {
namespace {

bool IsStream(int fd) {
  int type = 0;
  socklen_t length = sizeof(type);
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
         type == SOCK_STREAM;
}

}  // namespace

void StockProvider::AfterConnect(int fd, const sockaddr* address,
                                 socklen_t length) {
  if (!IsStream(fd)) return;
  Connection* const connection =
      connections_.Begin(fd, ConnectionRole::kOpened);
  if (connection == nullptr) return;
  if (questions_ == nullptr) {
    questions_ = std::make_unique<Questions>(recorder_.get());
  }
  questions_->Begin(PeerPort(address, length), connection);
  // Now, not when the loop waits next: it may be busy until long after.
  if (watcher_ != nullptr) watcher_->WatchConnecting(fd);
  tracker_->ConnectionBegan(*connection, fd, InternPeer(address, length));
}

uint32_t StockProvider::InternPeer(const sockaddr* address, socklen_t length) {
  const std::string text = PeerText(address, length);
  return text.empty() ? 0 : recorder_->InternString(text);
}

void StockProvider::BeforeSocketError(int fd) {
  Connection* const connection = connections_.Of(fd);
  if (connection == nullptr || !connection->connecting) return;
  connection->connecting = false;
  tracker_->IoBegin(EventType::kConnect, fd, watcher_ != nullptr);
  if (watcher_ != nullptr) watcher_->Connected(fd);
  tracker_->IoEnd(/*arrival_realtime_ns=*/0);
}

void StockProvider::NoteQuestion(Connection* connection, const void* data,
                                 size_t size, ssize_t bytes) {
  connection->written_bytes += static_cast<uint64_t>(bytes);
  if (!tracker_->Asks(*connection)) return;
  tracker_->PushQuestion(connection,
                         questions_->NameOf(data, size, connection));
}

void StockProvider::BeforeClose(int fd) {
  const Connection* const connection = connections_.Of(fd);
  if (connection == nullptr) return;
  if (connection->role == ConnectionRole::kOpened) {
    tracker_->ConnectionEnded(*connection);
  }
  connections_.End(fd);
}

}  // namespace edgewise
