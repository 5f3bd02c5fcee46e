// What is asked on a connection, and of what an answer is.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/builder/edg_builder.h"

namespace edgewise {
namespace {

// The first word of what is asked.
std::string_view ProtocolOf(std::string_view operation) {
  return operation.substr(0, operation.find(' '));
}

bool HasBodies(std::string_view operation) {
  const std::string_view protocol = ProtocolOf(operation);
  return protocol == "http" || protocol == "https";
}

// Whether what the request asks without a name belongs to what it asked before,
// if that says anything. A body of HTTP may go on while the answer comes.
bool IsMoreOf(const ConnectionTable::Asker* before, RequestRef request,
              const DependencyTable& dependencies) {
  return before != nullptr && before->request == request &&
         (before->waits() || HasBodies(dependencies.Call(before->call)));
}

// HTTP/2 may be what TLS hides.
bool AnswersInOrder(std::string_view protocol) {
  return protocol != "h2" && protocol != "grpc" && protocol != "mongodb" &&
         protocol != "amqp" && protocol != "dns" && protocol != "tls";
}

}  // namespace

void EdgBuilder::OnUse(const InnerRecord& record) {
  const auto kind = static_cast<UseKind>(record.type);
  if (kind == UseKind::kWaits) {
    const Registrant asker = WhoAsks(record);
    return connections_.Wait(
        record.number,
        {.request = asker.request,
         .node = asker.node,
         .unsure = asker.inferred},
        [this](RequestRef ref) { return requests_.IsOpen(ref); });
  }
  Connection* const connection = connections_.OfNumber(record.aux);
  if (connection == nullptr) return;
  switch (kind) {
    case UseKind::kQuestion:
      return OnQuestion(record, connection);
    case UseKind::kStream: {
      ConnectionTable::Asker asker = connections_.TakeWaiting(record.text);
      asker.context = connection->next.context;
      asker.stream = record.number;
      asker.stream_id = record.async_id;
      connection->next = asker;
      return;
    }
    case UseKind::kAskedFor: {
      ConnectionTable::Asker asker = connections_.TakeWaiting(record.number);
      asker.context = connection->next.context;
      asker.told = true;
      connection->next = asker;
      return;
    }
    case UseKind::kContext:
      return OnAskedContext(record, connection);
    case UseKind::kMeasured:
      return dependencies_->NoteTcp(connection->dependency, record.number,
                                    record.text);
    case UseKind::kClosed:
      if (connection_ == connection) connection_ = nullptr;
      return connections_.End(record.aux);
    case UseKind::kWaits:
      return;
  }
}

void EdgBuilder::OnQuestion(const InnerRecord& record, Connection* connection) {
  ConnectionTable::Asker& next = connection->next;
  if (!next.told && !requests_.IsOpen(next.request)) {
    const Registrant registrant = WhoAsks(record);
    next.request = registrant.request;
    next.node = registrant.node;
    next.unsure = registrant.inferred;
  }
  // What native code writes after it is more of the same.
  const bool goes_on = !connection->answered && !connection->askers.empty() &&
                       !(in_slice_ && connection->ordered);
  if (!next.told && next.request.generation == 0 && goes_on) return;
  ConnectionTable::Asker asker = std::exchange(next, {});
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
  const bool shook = dependencies_->At(unnamed).kind == "tls";
  const bool renames =
      connection->dependency != unnamed && (!was_named || shook);
  if (renames && requests_.IsOpen(asker.request)) {
    GraphOf(asker.request).Rename(unnamed, connection->dependency, !shook);
  }
  asker.asked_ns = slice_.begin_ns;
  // More of a question, in another step, says nothing of what is asked.
  const ConnectionTable::Asker* const before =
      connection->askers.empty() ? nullptr : &connection->askers.back();
  const bool named = call != DependencyTable::kUnknown &&
                     dependencies_->Call(call).find(' ') != std::string::npos;
  const bool more = !named && IsMoreOf(before, asker.request, *dependencies_);
  if (more) {
    call = before->call;
    asker.asked_ns = before->asked_ns;
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
  asker.dependency = connection->dependency;
  const bool anew = connection->Ask(
      asker, /*another=*/asker.told || (connection->multiplexed && named));
  if (anew && !more && requests_.IsOpen(asker.request)) {
    GraphOf(asker.request).CountCall(connection->dependency);
  }
}

// What was asked before the first stream of HTTP/2 was a handshake's, and is no
// call of whom it was asked for.
void EdgBuilder::ForgetHandshake(Connection* connection) {
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
void EdgBuilder::OnAskedContext(const InnerRecord& record,
                                Connection* connection) {
  const uint64_t key = uint64_t{record.text} << 32 | record.number;
  std::vector<ConnectionTable::Asker>& askers = connection->askers;
  const bool asked = !connection->multiplexed && !connection->next.told &&
                     !askers.empty() && askers.back().waits() &&
                     askers.back().context == 0 &&
                     askers.back().request == WhoAsks(record).request;
  (asked ? askers.back() : connection->next).context = key;
}

// What a question says of its connection, too: the protocol is the first word.
uint32_t EdgBuilder::NoteCall(uint32_t text, Connection* connection) {
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

}  // namespace edgewise
