// The part of the provider that follows connections: what the application opens
// and asks there (VEE'19 section 4.1: an event is registered by whoever asked
// for it, which on a connection is its latest question).

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "hooks/stock_provider.h"
#include "hooks/tcp_position.h"

namespace edgewise {
namespace {

bool IsStream(int fd) {
  int type = 0;
  socklen_t length = sizeof(type);
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
         type == SOCK_STREAM;
}

// Whether a write begins with what is no data of the application (RFC 8446,
// section 5.1): the question itself is written next.
bool EndsHandshake(const void* data, size_t size) {
  constexpr uint8_t kChangeCipherSpec = 20;
  constexpr uint8_t kHandshake = 22;
  if (size == 0) return false;
  const uint8_t type = *static_cast<const uint8_t*>(data);
  return type == kChangeCipherSpec || type == kHandshake;
}

// Whether TLS writes data of the application, perhaps with the end of its
// handshake: of version 1.3 that is hidden as data is.
bool HasData(const void* data, size_t size) {
  constexpr uint8_t kData = 23;
  constexpr size_t kHeader = 5;
  const auto* const bytes = static_cast<const uint8_t*>(data);
  int hidden = 0;
  for (size_t at = 0; at + kHeader <= size;) {
    hidden += bytes[at] == kData ? 1 : 0;
    at += kHeader + (size_t{bytes[at + 3]} << 8 | bytes[at + 4]);
  }
  return hidden > (EndsHandshake(data, size) ? 1 : 0);
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
  NoteAddresses(fd, *connection, address, length);
}

// By them a report knows it again in what the other end has recorded; a Unix
// socket by the number of what has connected it. Who comes
// from the internet is nobody's business. `peer` may be null: the kernel knows
// it, once a connection is established.
void StockProvider::NoteAddresses(int fd, const Connection& connection,
                                  const sockaddr* peer, socklen_t length) {
  const int error = errno;
  sockaddr_storage peer_storage{};
  if (peer == nullptr) {
    length = sizeof(peer_storage);
    peer = reinterpret_cast<const sockaddr*>(&peer_storage);
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer_storage), &length) !=
        0) {
      length = 0;
    }
  }
  if (length >= sizeof(sa_family_t) && peer->sa_family == AF_UNIX) {
    const bool opened = connection.role == ConnectionRole::kOpened;
    if (const auto ends = unix_ends_.Of(fd, opened)) {
      tracker_->ConnectionAt(connection, AddressSide::kOwn, *ends);
      tracker_->ConnectionAt(connection, AddressSide::kPeer, *ends);
    }
  }
  sockaddr_storage own_storage{};
  auto* const own = reinterpret_cast<sockaddr*>(&own_storage);
  socklen_t own_length = sizeof(own_storage);
  const auto there = AddressOf(peer, length);
  if (there.has_value() && there->IsPrivate() &&
      getsockname(fd, own, &own_length) == 0) {
    if (const auto here = AddressOf(own, own_length)) {
      tracker_->ConnectionAt(connection, AddressSide::kOwn, *here);
      tracker_->ConnectionAt(connection, AddressSide::kPeer, *there);
    }
  }
  errno = error;
}

uint32_t StockProvider::InternPeer(const sockaddr* address, socklen_t length) {
  const std::string text =
      NamedPeer(hosts_.Of(address, length), PeerText(address, length));
  return text.empty() ? 0 : recorder_->InternString(text);
}

void StockProvider::Adopt(int fd) {
  StockProvider* const self = ForThread();
  if (!self->recording() || self->connections_.Of(fd) != nullptr) return;
  self->Take(fd, /*opened=*/false);
}

void StockProvider::TakeOpen() {
  for (const auto& [fd, opened] : OpenConnections()) {
    if (connections_.Of(fd) == nullptr) Take(fd, opened);
  }
}

void StockProvider::Take(int fd, bool opened) {
  const auto position = TcpPositionOf(fd, opened);
  if (!position.has_value()) return;
  Connection* const connection = connections_.Begin(
      fd, opened ? ConnectionRole::kOpened : ConnectionRole::kAccepted);
  if (connection == nullptr) return;
  connection->connecting = false;
  connection->shaken = position->read_bytes > 0;
  connection->read_bytes = position->read_bytes;
  connection->written_bytes = position->written_bytes;
  uint32_t peer = 0;
  if (opened) {
    sockaddr_storage storage{};
    auto* const address = reinterpret_cast<sockaddr*>(&storage);
    socklen_t length = sizeof(storage);
    if (getpeername(fd, address, &length) != 0) length = 0;
    if (questions_ == nullptr) {
      questions_ = std::make_unique<Questions>(recorder_.get());
    }
    questions_->Begin(PeerPort(address, length), connection);
    peer = InternPeer(address, length);
  }
  tracker_->ConnectionBegan(*connection, fd, peer);
  NoteAddresses(fd, *connection, nullptr, 0);
}

void StockProvider::BeforeSocketError(int fd) {
  Connection* const connection = connections_.Of(fd);
  if (connection == nullptr || !connection->connecting) return;
  connection->connecting = false;
  tracker_->IoBegin(EventType::kConnect, fd, watcher_ != nullptr);
  if (watcher_ != nullptr) watcher_->Connected(fd);
  tracker_->IoEnd(/*arrival_realtime_ns=*/0);
}

// Native code that connects by itself need not ask how that has ended.
void StockProvider::Established(int fd, Connection* connection) {
  if (!std::exchange(connection->connecting, false)) return;
  if (watcher_ != nullptr) watcher_->Connected(fd);
}

void StockProvider::NoteQuestion(Connection* connection, const void* data,
                                 size_t size, ssize_t bytes) {
  connection->written_bytes += static_cast<uint64_t>(bytes);
  if (connection->streams || !tracker_->Asks(*connection)) return;
  const uint32_t seen = questions_->NameOf(data, size, connection);
  // The handshake comes before what it hides.
  const bool hidden = connection->talk.protocol() == Protocol::kTls &&
                      connection->told != 0 && connection->shaken;
  tracker_->PushQuestion(connection, hidden ? connection->told : seen);
  if (connection->talk.protocol() == Protocol::kTls &&
      EndsHandshake(data, size)) {
    connection->asked_sequence = Connection::kNoSlice;
  }
  if (hidden && connection->context != 0 && HasData(data, size)) {
    PushContext(*connection, std::exchange(connection->context, 0));
  }
}

// The write that asks comes before, of Node's client where the connection is
// established: then it is named again, and so is what is written next. Or it
// comes next (undici), which asks anyway.
void StockProvider::NoteHttps(int fd, std::string_view method,
                              std::string_view path) {
  StockProvider* const self = ForThread();
  Connection* const connection = self->Asking(fd);
  if (connection == nullptr) return;
  connection->told = self->questions_->NameOfHttps(method, path);
  connection->context = 0;
  const bool asks_next = connection->asked_sequence == Connection::kNoSlice;
  if (connection->shaken && !asks_next) {
    self->tracker_->PushQuestion(connection, connection->told);
    connection->asked_sequence = Connection::kNoSlice;
  }
}

void StockProvider::NoteStream(int fd, std::string_view method,
                               std::string_view path, bool grpc,
                               const AskedStream& stream) {
  StockProvider* const self = ForThread();
  Connection* const connection = self->Asking(fd);
  if (connection == nullptr) return;
  connection->streams = true;
  self->tracker_->PushUse({.kind = UseKind::kStream,
                           .connection = connection->number,
                           .number = stream.number,
                           .other = stream.wait,
                           .id = stream.id});
  self->tracker_->PushQuestion(
      connection, self->questions_->NameOfStream(method, path, grpc));
}

void StockProvider::NoteWaits(uint32_t wait) {
  StockProvider* const self = ForThread();
  if (!self->recording()) return;
  self->tracker_->PushUse({.kind = UseKind::kWaits, .number = wait});
}

void StockProvider::NoteAskedFor(int fd, uint32_t wait) {
  StockProvider* const self = ForThread();
  Connection* const connection = self->Asking(fd);
  if (connection == nullptr) return;
  self->tracker_->PushUse({.kind = UseKind::kAskedFor,
                           .connection = connection->number,
                           .number = wait});
  connection->asked_sequence = Connection::kNoSlice;
}

void StockProvider::NoteAskedContext(int fd, const TraceContext& context) {
  StockProvider* const self = ForThread();
  Connection* const connection = self->Asking(fd);
  if (connection == nullptr) return;
  // The handshake comes before what it hides.
  if (connection->told != 0 && !connection->shaken) {
    connection->context = context.Key();
    return;
  }
  self->PushContext(*connection, context.Key());
}

void StockProvider::PushContext(const Connection& connection, uint64_t key) {
  tracker_->PushUse({.kind = UseKind::kContext,
                     .connection = connection.number,
                     .number = static_cast<uint32_t>(key),
                     .other = static_cast<uint32_t>(key >> 32)});
}

// A connection that the application has opened; null: none.
Connection* StockProvider::Asking(int fd) {
  if (!recording()) return nullptr;
  Connection* const connection = connections_.Of(fd);
  const bool asks =
      connection != nullptr && connection->role == ConnectionRole::kOpened;
  return asks ? connection : nullptr;
}

void StockProvider::NoteProcess(uint64_t async_id, int fd,
                                std::string_view program) {
  StockProvider* const self = ForThread();
  if (!self->recording()) return;
  uint32_t number = 0;
  if (fd >= 0) {
    const Connection* const pipe =
        self->connections_.Begin(fd, ConnectionRole::kChild);
    if (pipe == nullptr) return;
    number = pipe->number;
  }
  OperationText name;
  name.Assign(program.substr(program.rfind('/') + 1));
  self->tracker_->ChildBegan(number, fd, async_id,
                             self->recorder_->InternString(name.view()));
}

// One call of the system, for a connection that the application has opened.
void StockProvider::Measure(int fd, const Connection& connection) {
  if (connection.role != ConnectionRole::kOpened || connection.connecting) {
    return;
  }
  tcp_info info{};
  socklen_t length = sizeof(info);
  const int error = errno;
  const bool known = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0;
  errno = error;
  if (!known) return;  // It is none of TCP's.
  tracker_->PushUse({.kind = UseKind::kMeasured,
                     .connection = connection.number,
                     .number = info.tcpi_total_retrans,
                     .other = info.tcpi_rtt});
}

void StockProvider::BeforeClose(int fd) {
  work_names_->Closed(fd);
  const Connection* const connection = connections_.Of(fd);
  if (connection == nullptr) return;
  Measure(fd, *connection);
  if (connection->role != ConnectionRole::kAccepted) {
    tracker_->ConnectionEnded(*connection);
  }
  connections_.End(fd);
}

}  // namespace edgewise
