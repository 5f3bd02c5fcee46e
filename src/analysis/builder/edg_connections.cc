// For whom the bytes are that come on a connection. An event is registered by
// whoever asked for it (VEE'19, section 4.1), and not by whoever opened the
// connection on which it comes.

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analysis/builder/edg_builder.h"

namespace edgewise {
namespace {

// Parsing takes less.
constexpr int64_t kNoticedNs = 200'000;

// The first word of what is asked.
std::string_view ProtocolOf(std::string_view operation) {
  return operation.substr(0, operation.find(' '));
}

// HTTP/2 may be what TLS hides.
bool AnswersInOrder(std::string_view protocol) {
  return protocol != "h2" && protocol != "grpc" && protocol != "mongodb" &&
         protocol != "amqp" && protocol != "dns" && protocol != "tls";
}

}  // namespace

void EdgBuilder::OnConnection(const InnerRecord& record) {
  if (record.kind == RecordKind::kConnection) {
    const auto fd = static_cast<int32_t>(record.number);
    const auto role = static_cast<ConnectionRole>(record.type);
    if (fd < 0) return OnProcess(record);
    const bool reads = connection_ != nullptr;
    ConnectionTable::Connection* const connection = connections_.Begin(
        fd, record.aux,
        role <= ConnectionRole::kMaxValue ? role : ConnectionRole::kAccepted,
        record.text);
    // One that is accepted or connected in it has no bytes yet.
    connection_ =
        reads && fd != event_->fd ? connections_.OfFd(event_->fd) : nullptr;
    if (role == ConnectionRole::kChild) {
      connection->dependency = dependencies_->InternWork(
          DependencyKind(EventType::kChild), PeerOf(*connection));
      return;
    }
    if (role == ConnectionRole::kOpened) {
      const Registrant opener = WhoAsks(record);
      connection->opener = opener.request;
      connection->opener_node = opener.node;
      connection->opener_unsure = opener.inferred;
    }
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
    if (connection_ != nullptr && connection_->number == record.aux) {
      connection_ = nullptr;
    }
    connections_.End(record.aux);
  } else if (record.type == static_cast<uint8_t>(UseKind::kStream)) {
    ConnectionTable::Connection* const connection =
        connections_.OfNumber(record.aux);
    if (connection == nullptr) return;
    ConnectionTable::Asker asker = connections_.TakeWaiting(record.text);
    asker.context = connection->next.context;
    asker.stream = record.number;
    asker.stream_id = record.async_id;
    connection->next = asker;
  } else if (record.type == static_cast<uint8_t>(UseKind::kStreamWaits)) {
    const Registrant asker = WhoAsks(record);
    connections_.Wait(record.number,
                      {.request = asker.request,
                       .node = asker.node,
                       .unsure = asker.inferred},
                      [this](RequestRef ref) { return requests_.IsOpen(ref); });
  } else if (record.type == static_cast<uint8_t>(UseKind::kContext)) {
    OnAskedContext(record);
  } else if (record.type == static_cast<uint8_t>(UseKind::kMeasured)) {
    const ConnectionTable::Connection* const connection =
        connections_.OfNumber(record.aux);
    if (connection == nullptr) return;
    dependencies_->NoteTcp(connection->dependency, record.number, record.text);
  }
}

EdgBuilder::Registrant EdgBuilder::WhoAsks(const InnerRecord& record) const {
  if (requests_.IsOpen(slice_.request)) {
    return {slice_.request, slice_.node, slice_.unsure};
  }
  // A tick or a timer of a request, in a slice that is not its own.
  return StepOf(FindById(record.async_id));
}

void EdgBuilder::OnQuestion(const InnerRecord& record) {
  ConnectionTable::Connection* const connection =
      connections_.OfNumber(record.aux);
  if (connection == nullptr) return;
  ConnectionTable::Asker asker = std::exchange(connection->next, {});
  if (!requests_.IsOpen(asker.request)) {
    const Registrant registrant = WhoAsks(record);
    asker.request = registrant.request;
    asker.node = registrant.node;
    asker.unsure = registrant.inferred;
  }
  // What native code writes after it is more of the same.
  const bool goes_on = !connection->answered && !connection->askers.empty() &&
                       !(in_slice_ && connection->ordered);
  if (asker.request.generation == 0 && goes_on) return;
  connection->asked_step = in_slice_ ? trail_.next() : 0;
  const uint32_t unnamed = connection->dependency;
  const bool was_named = connection->named;
  const bool was_multiplexed = connection->multiplexed;
  uint32_t call = NoteCall(record.text, connection);
  if (connection->multiplexed) {
    if (!was_multiplexed) ForgetHandshake(connection);
    std::erase_if(connection->askers, [this](const auto& earlier) {
      return !requests_.IsOpen(earlier.request);
    });
  }
  // A server that speaks first, or that was only connected to; what TLS hides,
  // where JavaScript tells.
  const bool renames = connection->dependency != unnamed &&
                       (!was_named || dependencies_->At(unnamed).kind == "tls");
  if (renames && requests_.IsOpen(asker.request)) {
    GraphOf(asker.request).Rename(unnamed, connection->dependency);
  }
  // More of a question, in another step, says nothing of what is asked.
  const ConnectionTable::Asker* const before =
      connection->askers.empty() ? nullptr : &connection->askers.back();
  const bool named = call != DependencyTable::kUnknown &&
                     dependencies_->Call(call).find(' ') != std::string::npos;
  if (before != nullptr && before->request == asker.request &&
      before->waits() && !named) {
    call = before->call;
  }
  // Of several streams that a request waits for it is not known which one an
  // answer is of, but where they ask the same.
  if (connection->multiplexed && named) {
    for (ConnectionTable::Asker& beside : connection->askers) {
      const bool other = beside.request == asker.request && beside.waits() &&
                         beside.call != call;
      if (other) beside.call = call = DependencyTable::kUnknown;
    }
  }
  asker.call = call;
  asker.written = record.number;
  asker.asked_ns = slice_.begin_ns;
  asker.dependency = connection->dependency;
  const bool anew =
      connection->Ask(asker, /*another=*/connection->multiplexed && named);
  if (anew && requests_.IsOpen(asker.request)) {
    GraphOf(asker.request).CountCall(connection->dependency);
  }
}

// What was asked before the first stream of HTTP/2 was a handshake's, and is no
// call of whom it was asked for.
void EdgBuilder::ForgetHandshake(ConnectionTable::Connection* connection) {
  for (const ConnectionTable::Asker& asker : connection->askers) {
    if (!requests_.IsOpen(asker.request)) continue;
    for (Node& node : GraphOf(asker.request).nodes) {
      if (node.session == connection->number) node.link = 0;
    }
  }
  connection->askers.clear();
  connection->answered_last = {};
}

// The head has been handed to the socket, and mostly written before.
void EdgBuilder::OnAskedContext(const InnerRecord& record) {
  ConnectionTable::Connection* const connection =
      connections_.OfNumber(record.aux);
  if (connection == nullptr) return;
  const uint64_t key = uint64_t{record.text} << 32 | record.number;
  std::vector<ConnectionTable::Asker>& askers = connection->askers;
  const bool asked = !connection->multiplexed && !askers.empty() &&
                     askers.back().waits() && askers.back().context == 0 &&
                     askers.back().request == WhoAsks(record).request;
  (asked ? askers.back() : connection->next).context = key;
}

// What a question says of its connection, too: the protocol is the first word.
uint32_t EdgBuilder::NoteCall(uint32_t text,
                              ConnectionTable::Connection* connection) {
  const std::string* const operation = stream_->StringOf(text);
  if (operation == nullptr) return DependencyTable::kUnknown;
  connection->named = true;
  connection->dependency =
      dependencies_->InternCalled(*operation, PeerOf(*connection));
  const std::string_view protocol = ProtocolOf(*operation);
  connection->ordered = AnswersInOrder(protocol);
  connection->multiplexed = protocol == "h2" || protocol == "grpc";
  return dependencies_->InternCall(*operation);
}

std::string_view EdgBuilder::PeerOf(
    const ConnectionTable::Connection& connection) const {
  const std::string* const peer = stream_->StringOf(connection.peer);
  return peer != nullptr ? std::string_view(*peer) : std::string_view();
}

// What a step of the request has got an answer to, and where it was asked.
void EdgBuilder::NoteQuestionOf(RequestRef request, Node* node) const {
  if (connection_ == nullptr) return;
  const ConnectionTable::Asker* const asker = connection_->Find(request);
  if (asker == nullptr) return;
  // A stream that began in this event waits from now on.
  const bool of_stream = connection_->multiplexed;
  if (of_stream && asker->asked_ns >= event_->begin_ns) return;
  node->call = asker->call;
  node->link = connection_->link;
  node->session = connection_->number;
  node->asked = asker->written;
  node->asked_ns = asker->asked_ns;
  node->context = asker->context;
  node->of_stream = of_stream;
  if (!of_stream) return;
  const ConnectionTable::Asker* const stream =
      connection_->StreamOf(request, event_->sequence);
  node->asked = stream != nullptr ? stream->stream : 0;
  node->context = stream != nullptr ? stream->context : 0;
  if (stream != nullptr) node->asked_ns = stream->asked_ns;
}

// After the connections that began in the event.
void EdgBuilder::NoteAddresses() {
  for (const ConnectionAddress& each : event_->addresses) {
    ConnectionTable::Connection* const connection =
        connections_.OfNumber(each.connection);
    if (connection == nullptr) continue;
    connection->ends.Set(each.side, each.address);
    connection->link =
        connection->ends.Link(connection->role, stream_->meta().network);
  }
}

EdgBuilder::Registrant EdgBuilder::StepOf(
    const RegistrationIndex::Entry* entry) const {
  return entry != nullptr
             ? Registrant{entry->request, entry->node, entry->unsure}
             : Registrant{};
}

EdgBuilder::Registrant EdgBuilder::WhoRegisteredEvent() {
  connection_ =
      BringsBytes(event_->type) ? connections_.OfFd(event_->fd) : nullptr;
  several_wait_ = false;
  goes_unseen_.reset();
  first_asker_ = {};
  if (connection_ != nullptr) {
    // A stream of HTTP/2 is a resource of its own.
    const Registrant stream = connection_->multiplexed
                                  ? StepOf(FindById(event_->async_id))
                                  : Registrant{};
    if (stream.request.generation != 0 &&
        connection_->Find(stream.request) != nullptr) {
      return LatestAsking(stream.request, stream.node);
    }
    const Registrant owner = connection_->role == ConnectionRole::kOpened
                                 ? WhoseAnswer()
                                 : WhoseBody(*connection_);
    if (owner.request.generation != 0) return owner;
    if (connection_->IsAskedByKnown() && !continues_read_) return {};
  }
  if (event_->type == EventType::kConnect) {
    // Its resource was made in the same tick, right before it was opened.
    const ConnectionTable::Connection* const opened =
        connections_.OfFd(event_->fd);
    if (opened != nullptr && requests_.IsOpen(opened->opener)) {
      return {opened->opener, opened->opener_node, opened->opener_unsure};
    }
  }
  return StepOf(FindById(event_->async_id));
}

// Where several wait, the promises that are resumed tell, or on a patched Node
// the functions that are called. Where none is, answers come in the order of
// their questions, unless the protocol has none.
EdgBuilder::Registrant EdgBuilder::WhoseAnswer() {
  connection_->ForgetAnswered();
  const std::vector<ConnectionTable::Asker>& askers = connection_->askers;
  if (askers.empty()) return {};
  if (connection_->multiplexed) {
    const ConnectionTable::Asker* const only = connection_->OnlyWaiting();
    return only != nullptr && requests_.IsOpen(only->request)
               ? Registrant{only->request, only->node}
               : Registrant{};
  }
  several_wait_ = askers.size() > 1 || askers.front().several;
  first_asker_ = askers.front().request;
  if (askers.size() == 1) {
    const ConnectionTable::Asker& asker = askers.front();
    return requests_.IsOpen(asker.request) ? StepOf(asker) : Registrant{};
  }
  if (!connection_->ordered || has_edges_) return {};
  // Of a request that has ended it is not known that it was answered.
  const auto next =
      std::find_if(askers.begin(), askers.end(),
                   [this](const ConnectionTable::Asker& asker) {
                     return asker.waits() && (asker.request.generation == 0 ||
                                              requests_.IsOpen(asker.request));
                   });
  if (next == askers.end()) return {};
  if (ResumesAnAsker()) {
    // What it waited for has come before the answers of those that are resumed.
    const bool comes_first = next->request.generation != 0 &&
                             !Resumes(next->request) &&
                             GraphOf(next->request).LastIndex() == next->node;
    if (!comes_first) return {};
  }
  if (next->request.generation != 0) {
    return {next->request, next->node, /*inferred=*/true};
  }
  connection_->Answered(static_cast<size_t>(next - askers.begin()),
                        event_->sequence);
  return {};
}

bool EdgBuilder::ResumesAnAsker() const {
  return AnyResumed([this](RequestRef request) {
    return connection_->Find(request) != nullptr;
  });
}

bool EdgBuilder::Resumes(RequestRef request) const {
  return AnyResumed([request](RequestRef other) { return other == request; });
}

// Whether a function of another request may be what took so long before a
// promise goes on in the event: nothing shows that it was called. The same for
// all promises: who goes on by one of them is seen.
bool EdgBuilder::MayHaveCalledAnother() {
  if (connection_ == nullptr || !several_wait_ || has_edges_) return false;
  if (shared_end_ns_ - turn_.begin_ns <= kNoticedNs) return false;
  if (goes_unseen_.has_value()) return *goes_unseen_;
  absl::flat_hash_set<uint32_t> resumed;  // slots
  for (const InnerRecord& record : event_->inner) {
    if (record.kind != RecordKind::kSlice) continue;
    const RegistrationIndex::Entry* const owner = OwnerOf(record);
    if (owner != nullptr) resumed.insert(owner->request.slot);
  }
  const std::vector<ConnectionTable::Asker>& askers = connection_->askers;
  goes_unseen_ =
      std::any_of(askers.begin(), askers.end(), [&](const auto& asker) {
        const bool perhaps_now =
            asker.waits() || asker.resumed_in == event_->sequence;
        const bool seen = requests_.IsOpen(asker.request) &&
                          resumed.contains(asker.request.slot);
        return perhaps_now && !seen;
      });
  return *goes_unseen_;
}

EdgBuilder::Registrant EdgBuilder::WhoseBody(
    const ConnectionTable::Connection& connection) const {
  const auto is_open = [this](RequestRef ref) { return requests_.IsOpen(ref); };
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

// The question of `request` that the event may have answered, or null.
const ConnectionTable::Asker* EdgBuilder::AnsweredHere(
    RequestRef request) const {
  if (connection_ == nullptr) return nullptr;
  const ConnectionTable::Asker* const asker = connection_->Find(request);
  return asker != nullptr &&
                 (asker->waits() || asker->resumed_in == event_->sequence)
             ? asker
             : nullptr;
}

EdgBuilder::Registrant EdgBuilder::LatestAsking(RequestRef request,
                                                uint32_t node) {
  if (connection_ == nullptr) return {request, node};
  const ConnectionTable::Asker* const asker = connection_->Find(request);
  if (asker == nullptr) return {request, node};
  const Registrant asked = StepOf(*asker);
  return asked.node > node ? asked : Registrant{request, node};
}

// What steps of one request have asked may be one question or several, but for
// HTTP/1.1. What has come before the last of them is no answer to that.
EdgBuilder::Registrant EdgBuilder::StepOf(const ConnectionTable::Asker& asker) {
  const bool one =
      !asker.several || dependencies_->At(asker.dependency).kind == "http";
  if (one) return {asker.request, asker.node, asker.unsure};
  const bool before =
      GraphOf(asker.request).At(asker.node).begin_ns > event_->ready_ns;
  if (before) return {asker.request, asker.first};
  return {asker.request, asker.node, /*inferred=*/true};
}

}  // namespace edgewise
