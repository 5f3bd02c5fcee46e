// For whom the bytes are that come on a connection. An event is registered by
// whoever asked for it (VEE'19, section 4.1), and not by whoever opened the
// connection on which it comes.

#include <algorithm>
#include <string_view>

#include "analysis/edg_builder.h"

namespace edgewise {
namespace {

bool BringsBytes(EventType type) {
  return type == EventType::kTcpRead || type == EventType::kPipeRead;
}

}  // namespace

void EdgBuilder::OnConnection(const InnerRecord& record) {
  if (record.kind == RecordKind::kConnection) {
    const auto fd = static_cast<int32_t>(record.number);
    const bool opened =
        record.type == static_cast<uint8_t>(ConnectionRole::kOpened);
    if (fd < 0) return;
    // The event's own, which is accepted or connected in it, has no bytes yet.
    connection_ = nullptr;
    ConnectionTable::Connection* const connection = connections_.Begin(
        fd, record.aux,
        opened ? ConnectionRole::kOpened : ConnectionRole::kAccepted,
        record.text);
    // Until it is known what is spoken there.
    const std::string_view peer = PeerOf(*connection);
    const bool local = peer.starts_with('/') || peer.starts_with('@');
    connection->dependency =
        dependencies_->Intern(local ? "unix" : "tcp", peer);
    return;
  }
  if (record.type == static_cast<uint8_t>(UseKind::kQuestion)) {
    OnQuestion(record);
  } else if (record.type == static_cast<uint8_t>(UseKind::kClosed)) {
    connection_ = nullptr;
    connections_.End(record.aux);
  }
}

void EdgBuilder::OnQuestion(const InnerRecord& record) {
  ConnectionTable::Connection* const connection =
      connections_.OfNumber(record.aux);
  if (connection == nullptr) return;
  Registrant asker;
  if (requests_.IsOpen(slice_.request)) {
    asker = {slice_.request, slice_.node};
  } else {
    // A tick or a timer of a request, in a slice that is not its own.
    asker = StepOf(FindById(record.async_id));
  }
  // What native code writes after it is more of the same.
  const bool goes_on = !connection->answered && !connection->askers.empty();
  if (asker.request.generation == 0 && goes_on) return;
  const uint32_t unnamed = connection->dependency;
  const bool was_named = connection->named;
  uint32_t call = NoteCall(record.text, connection);
  if (connection->named && !was_named && requests_.IsOpen(asker.request)) {
    // A server that speaks first, or that was only connected to.
    GraphOf(asker.request).Rename(unnamed, connection->dependency);
  }
  // More of a question, in another step, says nothing of what is asked.
  const ConnectionTable::Asker* const before = connection->Find(asker.request);
  const bool named = call != DependencyTable::kUnknown &&
                     dependencies_->Call(call).find(' ') != std::string::npos;
  if (before != nullptr && !before->resumed && !named) call = before->call;
  const bool anew =
      connection->Ask({asker.request, asker.node, /*resumed=*/false, call});
  if (anew && requests_.IsOpen(asker.request)) {
    GraphOf(asker.request).CountCall(connection->dependency);
  }
}

// What a question says of its connection, too: the protocol is the first word.
uint32_t EdgBuilder::NoteCall(uint32_t text,
                              ConnectionTable::Connection* connection) {
  const std::string* const operation = stream_->StringOf(text);
  if (operation == nullptr) return DependencyTable::kUnknown;
  connection->named = true;
  connection->dependency = dependencies_->Intern(
      std::string_view(*operation).substr(0, operation->find(' ')),
      PeerOf(*connection));
  return dependencies_->InternCall(*operation);
}

std::string_view EdgBuilder::PeerOf(
    const ConnectionTable::Connection& connection) const {
  const std::string* const peer = stream_->StringOf(connection.peer);
  return peer != nullptr ? std::string_view(*peer) : std::string_view();
}

// What the event's request has waited for.
uint32_t EdgBuilder::DependencyOfEvent() {
  if (event_dependency_.has_value()) return *event_dependency_;
  const bool connects = event_->type == EventType::kConnect;
  const ConnectionTable::Connection* const connection =
      connects ? connections_.OfFd(event_->fd) : connection_;
  if (connection == nullptr) {
    event_dependency_ = dependencies_->Intern(DependencyKind(event_->type));
  } else if (connection->role == ConnectionRole::kAccepted) {
    event_dependency_ = dependencies_->Intern("client");
  } else {
    event_dependency_ = connection->dependency;
  }
  return *event_dependency_;
}

uint32_t EdgBuilder::CallOf(RequestRef request) const {
  if (connection_ == nullptr) return DependencyTable::kUnknown;
  const ConnectionTable::Asker* const asker = connection_->Find(request);
  return asker != nullptr ? asker->call : DependencyTable::kUnknown;
}

EdgBuilder::Registrant EdgBuilder::StepOf(
    const RegistrationIndex::Entry* entry) const {
  return entry != nullptr ? Registrant{entry->request, entry->node}
                          : Registrant{};
}

EdgBuilder::Registrant EdgBuilder::WhoRegisteredEvent() {
  connection_ =
      BringsBytes(event_->type) ? connections_.OfFd(event_->fd) : nullptr;
  if (connection_ != nullptr) {
    const Registrant owner = WhoseBytes(*connection_);
    if (owner.request.generation != 0) return owner;
    if (connection_->IsAskedByKnown() && !continues_read_) return {};
  }
  return StepOf(FindById(event_->async_id));
}

// Nobody's where several wait: the slices that follow, or the functions that
// are called, tell.
EdgBuilder::Registrant EdgBuilder::WhoseBytes(
    const ConnectionTable::Connection& connection) const {
  const auto is_open = [this](RequestRef ref) { return requests_.IsOpen(ref); };
  if (connection.role == ConnectionRole::kOpened) {
    if (connection.askers.size() != 1) return {};
    const ConnectionTable::Asker& asker = connection.askers.front();
    return is_open(asker.request) ? Registrant{asker.request, asker.node}
                                  : Registrant{};
  }
  if (connection.served.empty()) return {};
  const RequestRef latest = connection.served.back();
  // Streams of HTTP/2 come side by side; a body of HTTP/1.1 is that of the
  // request that came last.
  const bool alone = connection.protocol == RequestKind::kHttp1 ||
                     std::count_if(connection.served.begin(),
                                   connection.served.end(), is_open) == 1;
  return alone && is_open(latest) ? Registrant{latest, connection.read_node}
                                  : Registrant{};
}

uint32_t EdgBuilder::LatestAsking(RequestRef request, uint32_t node) const {
  if (connection_ == nullptr) return node;
  const ConnectionTable::Asker* const asker = connection_->Find(request);
  return asker != nullptr ? std::max(asker->node, node) : node;
}

// A resolver's callbacks run in one scope of native code, each an event; what
// they resolve runs when the scope ends, in the last one's.
void EdgBuilder::NoteScope(const Event& event) {
  const bool is_native =
      event.type == EventType::kDns || event.type == EventType::kImmediate;
  const bool goes_on =
      in_scope_ && is_native && event.begin_ns - last_end_ns_ <= kSameNs;
  if (!goes_on) scope_begin_ = event.sequence;
  in_scope_ = is_native && std::none_of(event.inner.begin(), event.inner.end(),
                                        [](const InnerRecord& record) {
                                          return record.kind ==
                                                 RecordKind::kSlice;
                                        });
}

bool EdgBuilder::IsResolvedBefore(RequestRef request) {
  const Node& last = GraphOf(request).Last();
  return last.type == EventType::kDns && last.event >= scope_begin_ &&
         last.event < event_->sequence;
}

}  // namespace edgewise
